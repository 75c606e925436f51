/** A key as one step of a JSON pointer (RFC 6901). */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
