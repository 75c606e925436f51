import { PROBLEMS } from './problem-codes.js';
import type { ProblemError } from './problem-error.js';

export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** A client that got everything wrong is told this many faults. */
const MOST_FAULTS = 50;

/** The body of a problem answer (RFC 9457). `instance` is the path asked for; null when the request was not even read. */
export function problemBody({ code, message, errors, members }: ProblemError, instance: string | null) {
  const { status, title } = PROBLEMS[code];
  return {
    type: `urn:antrean:problem:${code}`,
    title,
    status,
    detail: message,
    instance,
    code,
    error: message,
    errors: errors.slice(0, MOST_FAULTS),
    ...members,
  };
}
