import { ProblemError } from './problem-error.js';

/** What is hidden is answered as what is not there. */
export function nothingAt(path: string): ProblemError {
  return new ProblemError('not_found', `There is nothing at ${path}. All routes: /docs.`);
}
