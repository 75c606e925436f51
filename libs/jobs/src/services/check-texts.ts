import type { Violation } from '../definition/errors.js';
import { UNFIT_TEXT, isFitText } from '../definition/fit-text.js';
import { pointerStep } from '../definition/json-pointer.js';
import { MOST_METADATA, MOST_TAGS, TEXT_BOUNDS } from '../definition/option-bounds.js';

interface Range {
  readonly min: number;
  readonly max: number;
}

/** Any metadata within the other bounds is below it, but for control characters, of which JSON makes six bytes each. */
const MOST_METADATA_BYTES = 49_152;

/** What keeps a value from being a text of so many characters, the same to all who read it. */
export function textFaults(pointer: string, value: unknown, { min, max }: Range): readonly Violation[] {
  if (typeof value !== 'string') return [{ pointer, detail: 'must be a string' }];
  if (value.length >= min && isAtMost(value, max)) return isFitText(value) ? [] : [{ pointer, detail: UNFIT_TEXT }];
  return [{ pointer, detail: min === 0 ? `must have at most ${max} characters` : `must have ${min} to ${max} characters` }];
}

/** Characters are counted only where it matters: they are at least half as many as the units of UTF-16, and no more. */
function isAtMost(text: string, max: number): boolean {
  return text.length <= max || (text.length <= 2 * max && Array.from(text).length <= max);
}

export function tagFaults(pointer: string, value: unknown): readonly Violation[] {
  if (!Array.isArray(value)) return [{ pointer, detail: 'must be a list of strings' }];
  if (value.length > MOST_TAGS) return [{ pointer, detail: `must have at most ${MOST_TAGS} entries` }];
  return Array.from(value, (tag: unknown, index) => textFaults(`${pointer}/${index}`, tag, TEXT_BOUNDS.tag)).flat();
}

export function metadataFaults(pointer: string, value: unknown): readonly Violation[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ pointer, detail: 'must be an object of strings' }];
  }
  const entries: [string, unknown][] = Object.entries(value);
  if (entries.length > MOST_METADATA) return [{ pointer, detail: `must have at most ${MOST_METADATA} entries` }];
  const faults = entries.flatMap(([key, text]) => [
    ...textFaults(pointer, key, TEXT_BOUNDS.metadataKey).map(({ detail }) => ({ pointer, detail: `a key ${detail}` })),
    ...textFaults(`${pointer}/${pointerStep(key)}`, text, TEXT_BOUNDS.metadataValue),
  ]);
  if (faults.length > 0 || Buffer.byteLength(JSON.stringify(value)) <= MOST_METADATA_BYTES) return faults;
  return [{ pointer, detail: `must have at most ${MOST_METADATA_BYTES} bytes as JSON` }];
}
