import { createHash } from 'node:crypto';

/** A dedupe key that two payloads share when all their fields are equal: 64 hex digits, which tell nothing of the fields. */
export function payloadFingerprint(payload: object): string {
  const fields = Object.entries(payload)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(fields)).digest('hex');
}
