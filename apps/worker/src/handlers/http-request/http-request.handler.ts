import { HttpRequest, isInStatusList, type HttpRequestPayload } from '@antrean/catalog';
import { JobHandler, PermanentError, type Handles, type JobContext } from '@antrean/jobs';
import { OutboundPolicy, OutboundRefusedError } from '@antrean/platform';
import { HostPlaces } from '../../outbound/host-places.js';
import { OutboundClient } from '../../outbound/outbound-client.js';
import { Signer } from '../../outbound/signer.js';
import { readAnswer, type Answer } from './answer.js';
import { bodyText, headersOf, requestId } from './outgoing.js';
import { refusal } from './refusal.js';

/** The result of a job that succeeded. */
export interface HttpRequestResult extends Omit<Answer, 'retryAfter'> {
  /** From the connection to the last that was read of the answer. */
  readonly duration_ms: number;
}

const DEFAULT_TIMEOUT_SEC = 30;
const DEFAULT_SUCCESS = ['200-299'];

/** Calls a receiver. What goes wrong is told without the URL, which may hold secrets, and without what was answered but the status. */
@JobHandler(HttpRequest)
export class HttpRequestHandler implements Handles<typeof HttpRequest> {
  constructor(
    private readonly client: OutboundClient,
    private readonly policy: OutboundPolicy,
    private readonly signer: Signer,
    private readonly places: HostPlaces,
  ) {}

  async handle(context: JobContext<typeof HttpRequest>): Promise<HttpRequestResult> {
    const { payload, signal, signAs } = context;
    const { success = DEFAULT_SUCCESS } = payload;
    const isSuccess = (status: number): boolean => isInStatusList(success, status);
    const url = this.targetOf(payload);
    const sign = signAs === null ? undefined : this.signer.by(signAs);
    const id = requestId(context);
    const text = bodyText(payload);
    return this.places.within(url.hostname, signal, async () => {
      const call = {
        url,
        method: payload.method ?? 'POST',
        headers: headersOf(context, id, sign?.(id, text ?? '')),
        body: text === undefined ? undefined : Buffer.from(text),
        timeoutMs: (payload.timeout_sec ?? DEFAULT_TIMEOUT_SEC) * 1_000,
      };
      const beganAt = performance.now();
      const { retryAfter, ...answer } = await this.client
        .send(call, signal, (message) => readAnswer(message, isSuccess))
        .catch(neverWhenRefused);
      if (!isSuccess(answer.status)) throw refusal(answer.status, retryAfter);
      return { ...answer, duration_ms: Math.round(performance.now() - beganAt) };
    });
  }

  private targetOf({ url }: HttpRequestPayload): URL {
    const fault = this.policy.faultOf(url);
    if (fault !== undefined) throw new PermanentError(`The URL ${fault}.`, { code: 'url_refused' });
    return new URL(url);
  }
}

/** A host that leads to where nobody may be called is not called later either. */
function neverWhenRefused(error: unknown): never {
  if (!(error instanceof OutboundRefusedError)) throw error;
  throw new PermanentError(error.message, { code: error.code, cause: error });
}
