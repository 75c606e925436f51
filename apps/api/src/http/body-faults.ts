import { getMetadataStorage, validateSync } from 'class-validator';
import { toPointer } from './json-pointer.js';
import { ProblemError, type Fault } from './problem-error.js';

/** An instance of a body's class with the fields of a JSON object, and what is wrong with them. */
export interface Checked<T> {
  readonly body: T;
  readonly faults: readonly Fault[];
}

/**
 * Checks an object against a class of rules, without converting anything. Fields the class does not know are faults.
 * @param place where in the whole body the object is.
 */
export function checkBody<T extends object>(Body: new () => T, object: object, place: readonly string[]): Checked<T> {
  const known = fieldsOf(Body);
  const [mine, foreign] = partition(Object.entries(object), ([name]) => known.has(name));
  // Foreign names stay out: one like "constructor" would mislead the validator about the class.
  const body = Object.assign(new Body(), Object.fromEntries(mine));
  const broken = validateSync(body).flatMap(({ property, constraints = {} }) =>
    Object.values(constraints).map((detail) => ({ pointer: toPointer([...place, property]), detail })),
  );
  const unknown = foreign.map(([name]) => ({ pointer: toPointer([...place, name]), detail: unknownField(name, known) }));
  return { body, faults: [...unknown, ...broken] };
}

const MOST_TOLD = 5;

/** The answer to a body with faults: the detail tells the first, `errors` all. */
export function invalidFields(errors: readonly Fault[]): ProblemError {
  const details = errors.map(({ pointer, detail }) => `${pointer ?? ''}: ${detail}`);
  return new ProblemError('invalid_request', details.slice(0, MOST_TOLD).join('; '), { errors });
}

/**
 * For a route that takes nothing; an object without fields is nothing.
 * @throws {ProblemError} `invalid_request`
 */
export function checkNoFields(object: object): void {
  const names = Object.keys(object);
  if (names.length === 0) return;
  throw invalidFields(names.map((name) => ({ pointer: toPointer([name]), detail: 'no fields are known here, send no body' })));
}

function fieldsOf(Body: new () => object): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(Body, '', true, false);
  return new Set(rules.map(({ propertyName }) => propertyName));
}

const LONGEST_NAME = 64;

function unknownField(name: string, known: ReadonlySet<string>): string {
  return `"${name.slice(0, LONGEST_NAME)}" is not known here, known are ${[...known].sort().join(', ')}`;
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}
