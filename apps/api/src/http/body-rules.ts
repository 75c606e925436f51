import { applyDecorators } from '@nestjs/common';
import { ValidateBy } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';

/** Bodies leave out what they do not say, as payloads do. */
export { IfGiven } from '@antrean/catalog';

/** JSON schema of draft 2020-12. */
type Schema = Readonly<Record<string, unknown>>;

interface Range {
  readonly min: number;
  readonly max: number;
}

/** One rule a field: what must hold, how people are told, and what the OpenAPI document says. */
export function Rule(detail: string, holds: (value: unknown) => boolean, schema: Schema): PropertyDecorator {
  return applyDecorators(
    ValidateBy({ name: 'rule', validator: { validate: holds, defaultMessage: () => `$property ${detail}` } }),
    JSONSchema((generated) => ({ ...generated, ...schema })),
  );
}

export function IsWhole({ min, max }: Range, schema: Schema): PropertyDecorator {
  return Rule(`must be a whole number from ${min} to ${max}`, (value) => Number.isInteger(value) && isWithin(value, min, max), {
    ...schema,
    type: 'integer',
    minimum: min,
    maximum: max,
  });
}

/** A span in seconds, fractions allowed; the range is in milliseconds, as the program holds it. */
export function IsSeconds({ min, max }: Range, schema: Schema): PropertyDecorator {
  const range = { min: min / 1_000, max: max / 1_000 };
  return IsNumberWithin(range, schema);
}

export function IsNumberWithin({ min, max }: Range, schema: Schema): PropertyDecorator {
  return Rule(`must be a number from ${min} to ${max}`, (value) => isWithin(value, min, max), {
    ...schema,
    type: 'number',
    minimum: min,
    maximum: max,
  });
}

/** Characters are counted as people do: a pair of surrogates is one. */
export function IsText({ min, max }: Range, schema: Schema): PropertyDecorator {
  return Rule(`must be a string of ${min} to ${max} characters`, (value) => isText(value, { min, max }), {
    ...schema,
    type: 'string',
    minLength: min,
    maxLength: max,
  });
}

export function IsOneOf(words: readonly string[], schema: Schema): PropertyDecorator {
  return Rule(`must be one of ${words.join(', ')}`, (value) => typeof value === 'string' && words.includes(value), {
    ...schema,
    type: 'string',
    enum: [...words],
  });
}

export function IsPlainObject(schema: Schema): PropertyDecorator {
  return Rule('must be an object', isPlainObject, { type: 'object', ...schema });
}

export function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isText(value: unknown, { min, max }: Range): value is string {
  if (typeof value !== 'string') return false;
  const length = Array.from(value).length;
  return length >= min && length <= max;
}

function isWithin(value: unknown, min: number, max: number): boolean {
  return typeof value === 'number' && value >= min && value <= max;
}
