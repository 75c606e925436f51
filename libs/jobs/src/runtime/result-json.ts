import { NotStorableError, PermanentError } from '../definition/errors.js';
import { toStoredJson } from '../definition/stored-json.js';
import { MAX_KEPT_BYTES } from './kept-value.js';

/**
 * What a handler returned as the JSON text that is kept; empty for undefined.
 * @throws {PermanentError} when there is no keeping the result: the work is done and must not be done again.
 */
export function resultJson(result: unknown): string {
  if (result === undefined) return '';
  const json = toJson(result);
  const bytes = Buffer.byteLength(json);
  if (bytes > MAX_KEPT_BYTES) {
    throw new PermanentError(
      `The handler ended well, but its result has ${bytes} bytes, the limit is ${MAX_KEPT_BYTES}. Put large results into storage.`,
      { code: 'result_too_large' },
    );
  }
  return json;
}

function toJson(result: unknown): string {
  try {
    return toStoredJson(result);
  } catch (cause) {
    const faults = cause instanceof NotStorableError ? cause.violations : [];
    const told = faults.map(({ pointer, detail }) => `${pointer === '' ? 'it' : pointer} ${detail}`).join('; ');
    throw new PermanentError(
      `The handler ended well, but its result (${typeof result}) cannot be kept as JSON${told && `: ${told}`}.`,
      { code: 'result_not_serializable', cause },
    );
  }
}
