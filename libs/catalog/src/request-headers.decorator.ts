import { ValidateBy, type ValidationArguments } from 'class-validator';
import { DISCREET } from '@antrean/jobs';

/** Header fields by name, in any case. */
export type RequestHeaders = Readonly<Record<string, string>>;

const MOST_HEADERS = 50;
const MAX_VALUE_LENGTH = 4_096;
/** A token of RFC 9110. */
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,64}$/;
/** Printable ASCII, with blanks inside only: what ends a header field cannot be in it. */
const VALUE = /^(?:[!-~](?:[ -~\t]*[!-~])?)?$/;
const JSON_TYPE = /^application\/(?:[\w.+-]+\+)?json *(?:;|$)/i;

/** What a client cannot set, each with the reason why. */
const OURS: readonly (readonly [names: RegExp, reason: string])[] = [
  [
    /^(?:connection|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|http2-settings|expect)$/,
    'it is about the connection, which Antrean makes',
  ],
  [/^host$/, 'it follows from the URL'],
  [/^content-length$/, 'it follows from the body'],
  [/^content-encoding$/, 'the body is sent as it is'],
  [/^accept-encoding$/, 'answers are asked for uncompressed'],
  [/^(?:webhook-.*|idempotency-key|traceparent|tracestate)$/, 'Antrean sets it'],
];

/** What a JSON schema can say of {@link IsRequestHeaders}. */
export const REQUEST_HEADERS_SCHEMA = {
  type: 'object' as const,
  maxProperties: MOST_HEADERS,
  propertyNames: { pattern: NAME.source },
  additionalProperties: { type: 'string' as const, maxLength: MAX_VALUE_LENGTH, pattern: VALUE.source },
  description:
    'Sent with the request. Those of the connection, Host, Content-Length, Content-Encoding, Accept-Encoding, Idempotency-Key, ' +
    'traceparent, tracestate and webhook-* are set by Antrean.',
};

/**
 * At most 50 header fields, values of printable ASCII and at most 4,096 characters; none that Antrean sets itself, and none twice.
 * Messages tell names and no value.
 */
export function IsRequestHeaders(): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isRequestHeaders',
      validator: {
        validate: (value: unknown) => faultOf(value) === undefined,
        defaultMessage: (args?: ValidationArguments) => `${args?.property ?? 'value'} ${faultOf(args?.value) ?? ''}`,
      },
    },
    DISCREET,
  );
}

/** The content type among header fields, whatever the case of its name; undefined when there is none. */
export function contentTypeIn(headers: unknown): string | undefined {
  if (!isObject(headers)) return undefined;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return typeof found?.[1] === 'string' ? found[1] : undefined;
}

/** Whether a body of this content type is JSON: `application/json` or `application/…+json`, with or without parameters. */
export function isJsonType(contentType: string): boolean {
  return JSON_TYPE.test(contentType);
}

function faultOf(value: unknown): string | undefined {
  if (!isObject(value)) return 'must be an object of names and values, such as {"Authorization": "Bearer …"}';
  const entries = Object.entries(value);
  if (entries.length > MOST_HEADERS) return `must have at most ${MOST_HEADERS} entries, it has ${entries.length}`;
  const names = new Set<string>();
  for (const [name, content] of entries) {
    const fault = faultOfName(name) ?? (names.has(name.toLowerCase()) ? ' twice' : faultOfContent(content));
    if (fault !== undefined) return `must not hold ${JSON.stringify(name.slice(0, 64))}${fault}`;
    names.add(name.toLowerCase());
  }
  return undefined;
}

function faultOfName(name: string): string | undefined {
  if (!NAME.test(name)) return ', which is no name of a header: letters, digits and "-", at most 64';
  const [, reason] = OURS.find(([names]) => names.test(name.toLowerCase())) ?? [];
  return reason === undefined ? undefined : `: ${reason}`;
}

function faultOfContent(content: unknown): string | undefined {
  if (typeof content !== 'string') return ' with a value that is no string';
  if (content.length > MAX_VALUE_LENGTH) return ` with a value of more than ${MAX_VALUE_LENGTH} characters`;
  return VALUE.test(content) ? undefined : ' with a value that is not printable ASCII, or begins or ends with a blank';
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
