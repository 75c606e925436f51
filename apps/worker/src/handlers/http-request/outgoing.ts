import { createHash } from 'node:crypto';
import { contentTypeIn, type HttpRequest, type HttpRequestPayload } from '@antrean/catalog';
import { parseJobId, type JobContext } from '@antrean/jobs';
import type { WebhookHeaders } from '@antrean/platform';

type Context = JobContext<typeof HttpRequest>;

/** The body as it is sent, and signed; undefined when there is none. */
export function bodyText({ body }: HttpRequestPayload): string | undefined {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/**
 * What receivers know a request by: the same with every attempt, and with a replay of the job as it was, since what became of its
 * last attempt may be unknown. A replay with another request is another one: receivers refuse a known key that comes with another body.
 */
export function requestId({ jobId, payload }: Context): string {
  const { url, method = 'POST' } = payload;
  const request = JSON.stringify([method, url, bodyText(payload)]);
  const hash = createHash('sha256').update(request).digest('hex').slice(0, 16);
  return `msg_${parseJobId(jobId)?.ulid ?? jobId}_${hash}`;
}

/**
 * All header fields but those that follow from the connection. What a client may not set wins over what it set.
 * @param signed absent when nobody's secrets are to sign.
 */
export function headersOf(
  { payload, traceparent, tracestate }: Context,
  id: string,
  signed?: WebhookHeaders,
): Record<string, string> {
  const { headers = {}, body } = payload;
  const given = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return {
    'user-agent': 'Antrean',
    ...(body !== undefined && contentTypeIn(headers) === undefined && { 'content-type': 'application/json' }),
    ...given,
    'accept-encoding': 'identity',
    'idempotency-key': id,
    'webhook-id': id,
    ...signed,
    traceparent,
    ...(tracestate !== null && { tracestate }),
  };
}
