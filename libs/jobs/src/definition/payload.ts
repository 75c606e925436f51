import { plainToInstance } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { InvalidPayloadError, type Violation } from './errors.js';
import type { JobDefinition } from './job-definition.js';
import { isUnchecked } from './unchecked-payload.js';

/**
 * A payload as an instance of its definition's class, checked against the class's rules; an unchecked one as it is.
 * @param unknownFields `refuse` at a submit, where one is a mistake; `ignore` at a claim, where a newer version may have sent it.
 * @throws {InvalidPayloadError} naming every fault by its JSON pointer.
 */
export function parsePayload<P extends object>(
  definition: JobDefinition<P>,
  plain: unknown,
  unknownFields: 'refuse' | 'ignore',
): P {
  if (typeof plain !== 'object' || plain === null || Array.isArray(plain)) {
    throw new InvalidPayloadError(definition.type, [{ pointer: '', detail: 'must be a JSON object' }]);
  }
  // Taken as it is: only the compiler knows its type.
  if (isUnchecked(definition.payload)) return plain as P;
  const unreadable = unknownFields === 'refuse' ? unreadableKeys(plain, '') : [];
  if (unreadable.length > 0) throw new InvalidPayloadError(definition.type, unreadable);
  const payload = plainToInstance(definition.payload, plain);
  const errors = validateSync(payload, {
    whitelist: unknownFields === 'refuse',
    forbidNonWhitelisted: unknownFields === 'refuse',
    // A class without rules is no fault: it asks for nothing and, at a submit, knows no field.
    forbidUnknownValues: false,
  });
  if (errors.length > 0)
    throw new InvalidPayloadError(
      definition.type,
      errors.flatMap((error) => violationsOf(error, '')),
    );
  return payload;
}

/** The payload as the JSON text that is stored. */
export function payloadToJson(type: string, payload: object): string {
  try {
    // The built-in types leave out that JSON.stringify answers undefined for what has no JSON form.
    const json = JSON.stringify(payload) as string | undefined;
    if (json !== undefined) return json;
  } catch (error) {
    throw new InvalidPayloadError(type, [{ pointer: '', detail: `cannot be written as JSON: ${String(error)}` }]);
  }
  throw new InvalidPayloadError(type, [{ pointer: '', detail: 'cannot be written as JSON' }]);
}

/** A key as one step of a JSON pointer. */
export function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}

const RESERVED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The class libraries compare every field of an object with every other: thousands of them would hold up all other work. */
const MOST_FIELDS = 1_000;

/**
 * Keys that every object inherits (`constructor`, `__proto__`, …), which the class libraries drop or stumble over, and objects
 * with too many keys for them.
 */
function unreadableKeys(value: object, pointer: string): Violation[] {
  const entries: [string, unknown][] = Object.entries(value);
  if (!Array.isArray(value) && entries.length > MOST_FIELDS) {
    return [{ pointer, detail: `must have at most ${MOST_FIELDS} fields, it has ${entries.length}` }];
  }
  return entries.flatMap(([key, child]) => {
    const place = `${pointer}/${pointerStep(key)}`;
    if (!Array.isArray(value) && RESERVED.has(key)) return [{ pointer: place, detail: 'has a name that is reserved' }];
    return typeof child === 'object' && child !== null ? unreadableKeys(child, place) : [];
  });
}

function violationsOf(error: ValidationError, parent: string): Violation[] {
  const pointer = `${parent}/${pointerStep(error.property)}`;
  const own = Object.entries(error.constraints ?? {}).map(([rule, message]) => ({
    pointer,
    detail: rule === 'whitelistValidation' ? 'is not a known field' : message,
  }));
  return [...own, ...(error.children ?? []).flatMap((child) => violationsOf(child, pointer))];
}
