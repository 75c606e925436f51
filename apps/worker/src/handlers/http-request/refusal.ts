import { STATUS_CODES } from 'node:http';
import { PermanentError, RetryAfterError } from '@antrean/jobs';
import { retryAfterMs } from '../../outbound/retry-after.js';

/** The receiver answered with a status that may be another one the next time. */
export class HttpAnswerError extends Error {
  override readonly name = 'HttpAnswerError';
  readonly code: string;

  constructor(readonly status: number) {
    super(`The receiver answered ${named(status)}.`);
    this.code = codeOf(status);
  }
}

/** Answers by which a receiver asks to be called again. */
const PASSING_4XX: ReadonlySet<number> = new Set([408, 425, 429]);

/** What is none is to be taken as a 5xx (RFC 9110, 15). */
const isStatus = (status: number): boolean => status >= 100 && status <= 599;

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

/**
 * What an answer that is no success means for the job.
 * @param retryAfter the header, as it was sent.
 */
export function refusal(status: number, retryAfter: string | undefined): Error {
  if (status < 500 && isStatus(status) && !PASSING_4XX.has(status)) {
    return new PermanentError(`The receiver answered ${named(status)}${reasonOf(status)}.`, { code: codeOf(status) });
  }
  const error = new HttpAnswerError(status);
  const delayMs = retryAfterMs(retryAfter, Date.now());
  if (delayMs === undefined || delayMs === 0) return error;
  // Up to a tenth later: those who were told the same time are not to come all at once.
  const spreadMs = Math.round(delayMs * (1 + Math.random() / 10));
  return new RetryAfterError(error.message, `${spreadMs}ms`, { code: error.code, cause: error });
}

function reasonOf(status: number): string {
  if (REDIRECTS.has(status)) return '; redirects are not followed: submit the job with the URL it is to call';
  if (status < 400) return ', which is not among the statuses that the job counts as success';
  if (status === 410) return ': it is not to be called any more';
  return ', which another attempt would not change';
}

function codeOf(status: number): string {
  return `http_${status}`;
}

function named(status: number): string {
  if (!isStatus(status)) return `${status}, which is no status of HTTP`;
  return `${status} ${STATUS_CODES[status] ?? ''}`.trimEnd();
}
