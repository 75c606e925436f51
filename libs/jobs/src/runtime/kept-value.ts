import { NotStorableError } from '../definition/errors.js';
import { toStoredJson } from '../definition/stored-json.js';

/** Larger values belong in storage. In bytes of JSON. */
export const MAX_KEPT_BYTES = 65_536;

/**
 * A value that a handler wants to have kept with its job, as JSON.
 * @throws {NotStorableError}
 */
export function keptJson(value: unknown, maxBytes = MAX_KEPT_BYTES): string {
  const json = toStoredJson(value);
  const bytes = Buffer.byteLength(json);
  if (bytes <= maxBytes) return json;
  throw new NotStorableError([
    { pointer: '', detail: `has ${bytes} bytes, the limit is ${maxBytes}; put large data into storage and keep its key` },
  ]);
}
