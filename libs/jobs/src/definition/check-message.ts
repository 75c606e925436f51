import { NotStorableError } from './errors.js';
import { kindOf } from './kind-of.js';

/**
 * What a handler says in words; one without a compiler may give anything.
 * @throws {NotStorableError} when it is no string
 */
export function checkMessage(message: unknown): asserts message is string {
  if (typeof message === 'string') return;
  throw new NotStorableError([{ pointer: '/message', detail: `must be a string, not ${kindOf(message)}` }]);
}
