import { HttpException } from '@nestjs/common';
import {
  DuplicateJobError,
  EventsFullError,
  IllegalTransitionError,
  InvalidOptionsError,
  InvalidPayloadError,
  JobNotFoundError,
  OnceKeyConflictError,
  PayloadTooLargeError,
  QueueUnavailableError,
  UnknownJobTypeError,
  type Violation,
} from '@antrean/jobs';
import { PassingStorageError } from '@antrean/platform';
import { DatabaseAwayError, UnfitDatabaseError, UnknownCustomerError } from '@antrean/shop';
import { IDEMPOTENT_REPLAYED } from './idempotency-key.js';
import { underPointer } from './json-pointer.js';
import { OrderKeyReusedError } from '../orders/order-key-reused-error.js';
import type { Links } from './links.js';
import { PROBLEMS, type ProblemCode } from './problem-codes.js';
import { ProblemError, type Fault } from './problem-error.js';

/** How long a client is asked to wait, in seconds, when queue, storage or database are out of reach. */
export const RETRY_AFTER = { 'Retry-After': '2' } as const;
/** What is missing then is not there again so soon. */
const EVENTS_FULL_RETRY_AFTER_SEC = '60';
/** Without the id, which may be any text. */
const NO_SUCH_JOB = 'There is no such job: it never was, was deleted, or its retention is over.';

/** The one place that says which problem an error is to a client. What it does not know is ours, and says nothing about itself. */
export function asProblem(error: unknown, links: Links): ProblemError {
  if (error instanceof ProblemError) return error;
  if (error instanceof InvalidPayloadError || error instanceof InvalidOptionsError) {
    return new ProblemError(error.code, error.message, { errors: error.violations.map(asFault) });
  }
  if (error instanceof UnknownJobTypeError) {
    return new ProblemError(error.code, error.message, { errors: [{ pointer: '#/type', detail: error.message }] });
  }
  if (error instanceof PayloadTooLargeError) return new ProblemError(error.code, error.message);
  if (error instanceof JobNotFoundError) return new ProblemError(error.code, NO_SUCH_JOB, { cause: error });
  if (error instanceof DuplicateJobError || error instanceof IllegalTransitionError) {
    const { jobId, status, code, message } = error;
    return new ProblemError(code, message, {
      headers: 'repeated' in error && error.repeated ? IDEMPOTENT_REPLAYED : {},
      members: { job_id: jobId, job_status: status, links: { self: links.job(jobId) } },
    });
  }
  if (error instanceof EventsFullError) {
    return new ProblemError(error.code, error.message, {
      headers: { 'Retry-After': EVENTS_FULL_RETRY_AFTER_SEC },
      members: { outcome: 'not_written' },
    });
  }
  if (error instanceof OnceKeyConflictError) {
    return keyReused(error, { job_id: error.jobId, links: { self: links.job(error.jobId) } });
  }
  if (error instanceof OrderKeyReusedError) {
    return keyReused(error, { order_id: error.orderId, links: { self: links.order(error.orderId) } });
  }
  if (error instanceof UnknownCustomerError) {
    const fault = { pointer: '#/customer_id', detail: error.message };
    return new ProblemError(error.code, error.message, { errors: [fault], cause: error });
  }
  if (error instanceof QueueUnavailableError) return unavailable(error);
  if (error instanceof PassingStorageError) {
    const detail = 'The file cannot be stored or read at the moment. Send the request again.';
    return new ProblemError('storage_unavailable', detail, { headers: RETRY_AFTER, cause: error });
  }
  if (error instanceof DatabaseAwayError) {
    return new ProblemError('database_unavailable', error.message, { headers: RETRY_AFTER, cause: error });
  }
  if (error instanceof UnfitDatabaseError) {
    // What is to be done about it is for those who run this, not for clients.
    const detail = 'The database cannot be worked on at the moment. Try again later.';
    return new ProblemError('database_unavailable', detail, { headers: RETRY_AFTER, cause: error });
  }
  if (error instanceof HttpException && error.getStatus() < 500) return fromHttp(error);
  return new ProblemError('internal_error', 'The request could not be answered. The log has the reason under the request id.', {
    cause: error,
  });
}

function asFault({ pointer, detail }: Violation): Fault {
  return { pointer: underPointer('', pointer), detail };
}

function keyReused(error: Error, members: Readonly<Record<string, unknown>>): ProblemError {
  const detail = 'was used before, with another body';
  return new ProblemError('idempotency_key_reused', `The Idempotency-Key ${detail}. Send a new key with a new request.`, {
    errors: [{ header: 'Idempotency-Key', detail }],
    members,
    cause: error,
  });
}

const SAFE_REPEAT = 'look it up by its id; a request that carried an Idempotency-Key can be sent again with the same.';
const ADVICE = {
  not_written: 'Nothing was written: send the request again.',
  unknown: `It is not known whether the job was accepted: ${SAFE_REPEAT}`,
};
const UNREPLICATED_ADVICE = `It runs, unless a replica without it takes over: ${SAFE_REPEAT}`;

const ACT_ADVICE = 'It is not known whether this was carried out: read the job before you repeat it.';

/**
 * A submit knows its job's id and is told what became of it. What went out and was not answered otherwise, such as a cancel, may
 * have been carried out. All else has no more to tell than to come again.
 */
function unavailable(error: QueueUnavailableError): ProblemError {
  const { outcome, jobId, code, message } = error;
  const headers = RETRY_AFTER;
  if (jobId === undefined) {
    if (outcome === 'not_written') return new ProblemError(code, message, { headers, cause: error });
    return new ProblemError(code, `${message} ${ACT_ADVICE}`, { headers, members: { outcome }, cause: error });
  }
  const advice = code === 'not_replicated' ? UNREPLICATED_ADVICE : ADVICE[outcome];
  return new ProblemError(code, `${message} ${advice}`, { headers, members: { outcome, job_id: jobId }, cause: error });
}

/** What Express and its parts refuse by themselves: paths with a broken percent-encoding, files that are not there. */
function fromHttp(error: HttpException): ProblemError {
  if (error.cause instanceof URIError) {
    return new ProblemError('bad_request', 'The path has a percent-encoding that is not UTF-8.', { cause: error });
  }
  const codes = Object.keys(PROBLEMS) as readonly ProblemCode[]; // The table's keys are its codes.
  const code = codes.find((known) => PROBLEMS[known].status === error.getStatus()) ?? 'bad_request';
  return new ProblemError(code, code === 'not_found' ? 'There is nothing at this path.' : error.message, { cause: error });
}
