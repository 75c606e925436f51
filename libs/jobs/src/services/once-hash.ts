import { createHash } from 'node:crypto';
import type { EnqueueOptions } from '../definition/enqueue-options.js';

/** Half of a SHA-256, in hex: as much as a once record keeps. */
const HASH_DIGITS = 32;

/**
 * Equal for two submits that are the same to a once key: payload and options are equal as values, in whatever order their fields
 * stand, whoever asked under which trace, whatever id the job was to have, and whatever secrets the operator has meanwhile. Where
 * the options name a content, that alone is compared.
 * @param payloadJson as JSON.stringify writes it, so that a number has one text.
 */
export function onceHash(payloadJson: string, options: EnqueueOptions): string {
  const {
    jobId: _id,
    onceKey: _key,
    onceContent: content,
    traceparent: _parent,
    tracestate: _state,
    requestId: _request,
    signAs: _signer,
    ...same
  } = options;
  // A text is never equal to a list of two.
  const submit: unknown = content ?? JSON.parse(`[${payloadJson},${JSON.stringify(same)}]`);
  return createHash('sha256')
    .update(JSON.stringify(inOrder(submit)))
    .digest('hex')
    .slice(0, HASH_DIGITS);
}

/** Parsed JSON with the fields of each object in the order of their names. It is no deeper than a payload may be. */
function inOrder(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(inOrder);
  const fields = Object.entries(value) as [string, unknown][];
  // Not by assignment, to which `__proto__` is no field.
  return Object.fromEntries(fields.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, field]) => [name, inOrder(field)]));
}
