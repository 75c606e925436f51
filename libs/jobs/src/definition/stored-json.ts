import { types } from 'node:util';
import { NotStorableError, type Violation } from './errors.js';
import { UNFIT_TEXT, isFitText } from './fit-text.js';
import { pointerStep } from './json-pointer.js';
import { describeThrown } from './thrown.js';

/** How many objects and arrays may be nested. */
const DEEPEST = 64;

/** As JSON.stringify writes half of a surrogate pair and NUL: an escape behind an even number of backslashes. */
const UNFIT_ESCAPE = /(?<!\\)(?:\\\\)*\\u(?:d[89a-f][0-9a-f]{2}|0000)/;

/**
 * A value of a program as the JSON text that is stored. JSON's own rules hold: `toJSON` decides, which makes a Date a text;
 * fields that are undefined or functions are left out, in an array they are null, as holes are; -0 is 0; of any other object
 * the enumerable fields count.
 * @throws {NotStorableError} for what would not come back or no other program could read: what has no form in JSON, NaN,
 * infinite numbers, a Date that is none, BigInt, circles, more than 64 levels, Map, Set, Promise, half of a surrogate pair, NUL.
 */
export function toStoredJson(value: unknown): string {
  const json = written(value);
  if (isTooDeep(json)) throw unfit(`is nested deeper than ${DEEPEST} levels`);
  const hasUnfitText = json.includes('\\u') && UNFIT_ESCAPE.test(json);
  // The faults leave a trace in the text; only behind one the value itself is looked through.
  if (hasUnfitText || json.includes('null') || json.includes('{}')) {
    const found = lossIn(value, '', 0) ?? (hasUnfitText ? { pointer: '', detail: UNFIT_TEXT } : undefined);
    if (found !== undefined) throw new NotStorableError([found]);
  }
  return json;
}

function written(value: unknown): string {
  let json: unknown;
  try {
    // The built-in types leave out that JSON.stringify answers undefined for what has no JSON form.
    json = JSON.stringify(value);
  } catch (error) {
    const { name, message } = describeThrown(error);
    throw unfit(`cannot be written as JSON: ${name}: ${message}`);
  }
  if (typeof json !== 'string') throw unfit('cannot be written as JSON');
  return json;
}

function unfit(detail: string): NotStorableError {
  return new NotStorableError([{ pointer: '', detail }]);
}

function isTooDeep(json: string): boolean {
  return opens(json, '{') + opens(json, '[') > DEEPEST && depthOf(json) > DEEPEST;
}

/** How often a bracket stands in the text; those in strings count too, so it says too many rather than too few. */
function opens(json: string, bracket: string): number {
  let count = 0;
  for (let at = json.indexOf(bracket); at !== -1 && count <= DEEPEST; at = json.indexOf(bracket, at + 1)) count += 1;
  return count;
}

const STRINGS_AND_BRACKETS = /"(?:[^"\\]|\\.)*"|[[{]|[\]}]/g;

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const [token] of json.matchAll(STRINGS_AND_BRACKETS)) {
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}

/** The first part of a value that JSON.stringify wrote as something else. */
function lossIn(value: unknown, pointer: string, depth: number): Violation | undefined {
  const given = hasToJson(value) ? value.toJSON(pointer) : value;
  if (given === null && types.isDate(value)) return { pointer, detail: 'is an invalid Date, which JSON cannot hold' };
  if (typeof given === 'number' && !Number.isFinite(given)) return { pointer, detail: `is ${given}, which JSON cannot hold` };
  if (typeof given === 'string') return isFitText(given) ? undefined : { pointer, detail: UNFIT_TEXT };
  if (typeof given !== 'object' || given === null) return undefined;
  const kind = lossyKind(given);
  if (kind !== undefined) return { pointer, detail: `is a ${kind}, of which JSON keeps nothing` };
  // What a toJSON answers may differ from what it answered when the text was written.
  if (depth > DEEPEST) return undefined;
  for (const [key, child] of Object.entries(given) as [string, unknown][]) {
    const place = `${pointer}/${pointerStep(key)}`;
    if (!isFitText(key))
      return { pointer: place.toWellFormed(), detail: 'has a name with a NUL character or half of a surrogate pair' };
    const found = lossIn(child, place, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function hasToJson(value: unknown): value is { toJSON(key: string): unknown } {
  return typeof value === 'object' && value !== null && 'toJSON' in value && typeof value.toJSON === 'function';
}

function lossyKind(value: object): string | undefined {
  if (types.isMap(value)) return 'Map';
  if (types.isSet(value)) return 'Set';
  return types.isPromise(value) ? 'Promise' : undefined;
}
