import { PermanentError } from '../definition/errors.js';
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
  let cause: unknown;
  try {
    // The built-in types leave out that JSON.stringify answers undefined for what has no JSON form.
    const json = JSON.stringify(result) as string | undefined;
    if (json !== undefined) return json;
  } catch (error) {
    cause = error;
  }
  throw new PermanentError(`The handler ended well, but its result (${typeof result}) cannot be written as JSON.`, {
    code: 'result_not_serializable',
    cause,
  });
}
