import { IsIn } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { Sensitive, defineJob, exponential } from '@antrean/jobs';
import { IfGiven } from './if-given.decorator.js';
import { IsRequestBody, REQUEST_BODY_SCHEMA } from './request-body.decorator.js';
import { IsRequestHeaders, REQUEST_HEADERS_SCHEMA, type RequestHeaders } from './request-headers.decorator.js';
import { IsRequestUrl, REQUEST_URL_SCHEMA } from './request-url.decorator.js';
import { IsSeconds } from './seconds.decorator.js';
import { IsStatusList, STATUS_LIST_SCHEMA } from './status-list.decorator.js';

const HTTP_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
export type HttpMethod = (typeof HTTP_METHODS)[number];

/** The longest that a receiver may take, in seconds: below the timeout of the job, so that it is the receiver who is told of. */
const LONGEST_SEC = 240;

/** One request to a receiver that the client names. URL and headers may hold secrets. */
export class HttpRequestPayload {
  @Sensitive()
  @IsRequestUrl()
  @JSONSchema(REQUEST_URL_SCHEMA)
  readonly url!: string;

  @IfGiven()
  @IsIn(HTTP_METHODS, { message: `$property must be one of ${HTTP_METHODS.join(', ')}` })
  @JSONSchema({ description: 'Default POST.' })
  readonly method?: HttpMethod;

  @IfGiven()
  @Sensitive()
  @IsRequestHeaders()
  @JSONSchema(() => REQUEST_HEADERS_SCHEMA)
  readonly headers?: RequestHeaders;

  @IfGiven()
  @IsRequestBody()
  @JSONSchema(() => REQUEST_BODY_SCHEMA)
  readonly body?: unknown;

  @IfGiven()
  @IsSeconds(1, LONGEST_SEC)
  @JSONSchema({
    type: 'number',
    minimum: 1,
    maximum: LONGEST_SEC,
    description: 'How long the receiver may take, from the connection to the end of its answer. Default 30.',
  })
  readonly timeout_sec?: number;

  /** Statuses and ranges of them; see {@link IsStatusList}. */
  @IfGiven()
  @IsStatusList()
  @JSONSchema(() => STATUS_LIST_SCHEMA)
  readonly success?: readonly (string | number)[];
}

/** Calls a receiver over HTTP: the type for work that is done in other languages. */
export const HttpRequest = defineJob('http.request', {
  payload: HttpRequestPayload,
  // A run waits for an answer; one receiver gets a quarter of these places.
  concurrency: { worker: 100 },
  timeout: '5m',
  attempts: 10,
  // It cannot kill its worker: one that dies under it, again and again, dies of something else.
  maxCrashes: 10,
  // Up to 2 s, 6 s, 18 s, … an hour: the ten attempts take up to 2.6 hours, half of that on average.
  retry: exponential({ base: '2s', factor: 3, cap: '1h' }),
});
