export const LONGEST_TYPE = 64;
/** What a job type may be called; at most {@link LONGEST_TYPE} characters. */
export const JOB_TYPE_SHAPE = new RegExp(`^[a-z][a-z0-9.-]{0,${LONGEST_TYPE - 1}}$`);
/** Crockford's base 32 in capitals, 26 characters, as the ULID specification writes them (the first is at most 7). */
const ULID_SHAPE = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/** Length of a ULID as text. */
export const ULID_BYTES = 26;

/** A job's id taken apart: `email.send_01J…` is of type `email.send`. */
export interface JobId {
  readonly type: string;
  readonly ulid: string;
}

export function isJobType(text: string): boolean {
  return JOB_TYPE_SHAPE.test(text);
}

export function isUlid(text: string): boolean {
  return ULID_SHAPE.test(text);
}

export function formatJobId({ type, ulid }: JobId): string {
  return `${type}_${ulid}`;
}

/** The parts of an id, split at its last `_`; undefined when the text is not one. */
export function parseJobId(text: string): JobId | undefined {
  const split = text.lastIndexOf('_');
  const type = text.slice(0, Math.max(split, 0));
  const ulid = text.slice(split + 1);
  return isJobType(type) && isUlid(ulid) ? { type, ulid } : undefined;
}
