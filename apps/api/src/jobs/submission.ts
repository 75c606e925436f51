import type { EnqueueOptions } from '@antrean/jobs';
import { checkBody, invalidFields } from '../http/body-faults.js';
import { isPlainObject } from '../http/body-rules.js';
import { ProblemError, type Fault } from '../http/problem-error.js';
import { toPointer } from '../http/json-pointer.js';
import { toEnqueueOptions } from './enqueue-options.js';
import { BackoffBody, JobOptionsBody, SubmitJobBody, WebhookBody } from './submit-job.body.js';

/** A `POST /jobs` that fits the contract. Whether the type is known and the payload fits it is still open. */
export interface Submission {
  readonly type: string;
  readonly payload: object;
  readonly options: EnqueueOptions;
  /** Whether it may be called is still open. */
  readonly webhook: WebhookBody | undefined;
}

/** Options of the HTTP contract that this version does not have yet. They are refused: ignored, they would be a broken promise. */
const NOT_BUILT = ['group', 'result_ttl_sec'];

/** @throws {ProblemError} `invalid_request` or `not_available`, with every fault there is. */
export function parseSubmission(object: object): Submission {
  const { body, faults } = checkBody(SubmitJobBody, object, []);
  const given = isPlainObject(body.options) ? body.options : {};
  refuseNotBuilt(given);

  const options = checkBody(JobOptionsBody, given, ['options']);
  const backoff = isPlainObject(options.body.backoff)
    ? checkBody(BackoffBody, options.body.backoff, ['options', 'backoff'])
    : undefined;
  const webhook = isPlainObject(options.body.webhook)
    ? checkBody(WebhookBody, options.body.webhook, ['options', 'webhook'])
    : undefined;
  const fields = [...faults, ...options.faults, ...(backoff?.faults ?? []), ...(webhook?.faults ?? [])];
  if (fields.length > 0) throw invalidFields(fields);

  const together = contradictions(options.body, backoff?.body);
  if (together.length > 0) throw invalidFields(together);
  const { type, payload } = body;
  return { type, payload, options: toEnqueueOptions(options.body, backoff?.body), webhook: webhook?.body };
}

function refuseNotBuilt(options: object): void {
  const named = NOT_BUILT.filter((name) => name in options);
  if (named.length === 0) return;
  const detail = `Not available in this version: ${named.join(', ')}. Leave it out.`;
  const errors = named.map((name) => ({
    pointer: toPointer(['options', name]),
    detail: `${name} is not available in this version`,
  }));
  throw new ProblemError('not_available', detail, { errors });
}

/** What is wrong only because two fields stand together. */
function contradictions(options: JobOptionsBody, backoff: BackoffBody | undefined): readonly Fault[] {
  const faults: Fault[] = [];
  const refuse = (path: readonly string[], detail: string) => faults.push({ pointer: toPointer(['options', ...path]), detail });
  if (options.delay_sec !== undefined && options.run_at !== undefined) {
    refuse(['run_at'], 'run_at and delay_sec exclude each other, send one of them');
  }
  if (options.dedupe_ttl_sec !== undefined && options.dedupe_policy !== undefined && options.dedupe_policy !== 'ttl') {
    refuse(['dedupe_ttl_sec'], `dedupe_ttl_sec is for the dedupe_policy ttl only, not for ${options.dedupe_policy}`);
  }
  if (backoff?.factor !== undefined && backoff.type !== 'exponential') {
    refuse(['backoff', 'factor'], `factor is for exponential backoffs only, not for ${backoff.type}`);
  }
  if (backoff?.cap_sec !== undefined && backoff.type === 'fixed') {
    refuse(['backoff', 'cap_sec'], 'cap_sec is not for fixed backoffs');
  }
  return faults;
}
