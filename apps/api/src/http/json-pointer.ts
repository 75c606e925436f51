/** Longer keys are not repeated in an answer; a pointer then stops at the object that holds them. */
const LONGEST_SEGMENT = 128;
const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/** A JSON pointer in its URI fragment form (RFC 6901, section 6): `#/items/3/a~1b`, `#` for the whole. */
export function toPointer(path: readonly (string | number)[]): string {
  const unnameable = path.findIndex((segment) => !isNameable(String(segment)));
  const named = unnameable === -1 ? path : path.slice(0, unnameable);
  return ['#', ...named.map(escapeSegment)].join('/');
}

/** Puts a plain JSON pointer (`/to`, `` for the whole) under a place of the body and into fragment form. */
export function underPointer(place: string, pointer: string): string {
  const segments = `${place}${pointer}`.split('/').slice(1);
  return toPointer(segments.map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~')));
}

function isNameable(segment: string): boolean {
  return segment.length <= LONGEST_SEGMENT && !LONE_SURROGATE.test(segment);
}

function escapeSegment(segment: string | number): string {
  return encodeURIComponent(String(segment).replaceAll('~', '~0').replaceAll('/', '~1'));
}
