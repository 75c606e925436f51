const TAG = /(W\/)?("[^"]*")/g;

/**
 * Whether a list of entity tags (`If-Match`, `If-None-Match`; RFC 9110, 13.1), or `*`, has this strong one.
 * @param how `strong`: one that is given as weak is none (8.8.3.2).
 */
export function listsTag(list: string, etag: string, how: 'weak' | 'strong'): boolean {
  if (list.trim() === '*') return true;
  return [...list.matchAll(TAG)].some(([, weak, tag]) => tag === etag && (how === 'weak' || weak === undefined));
}
