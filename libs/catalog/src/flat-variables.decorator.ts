import { ValidateBy, type ValidationArguments } from 'class-validator';
import { SINGLE_LINE } from './single-line.js';

/** What a mail template is filled with: names and plain values, nothing nested. */
export type FlatVariables = Readonly<Record<string, string | number | boolean>>;

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const MAX_VARIABLES = 100;
const MAX_VALUE_LENGTH = 4_096;

/** The same rules as {@link IsFlatVariables}, as a JSON schema. */
export const FLAT_VARIABLES_SCHEMA = {
  type: 'object' as const,
  maxProperties: MAX_VARIABLES,
  propertyNames: { pattern: NAME.source },
  additionalProperties: {
    anyOf: [
      { type: 'string' as const, maxLength: MAX_VALUE_LENGTH, pattern: SINGLE_LINE.source },
      { type: 'number' as const },
      { type: 'boolean' as const },
    ],
  },
};

/**
 * At most 100 variables; names of ASCII letters, digits and `_`, a letter first, at most 64; values are numbers,
 * booleans, or texts of one line and at most 4,096 characters (a template may put any of them into the subject).
 */
export function IsFlatVariables(): PropertyDecorator {
  return ValidateBy({
    name: 'isFlatVariables',
    validator: {
      validate: (value: unknown) => faultOf(value) === undefined,
      defaultMessage: (args?: ValidationArguments) => `${args?.property ?? 'value'} ${faultOf(args?.value) ?? ''}`,
    },
  });
}

function faultOf(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return 'must be an object of names and values, such as {"name": "Budi"}';
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_VARIABLES) return `must have at most ${MAX_VARIABLES} entries, it has ${entries.length}`;
  for (const [name, content] of entries) {
    const fault = NAME.test(name)
      ? faultOfContent(content)
      : 'is no name: ASCII letters, digits and "_", a letter first, at most 64';
    if (fault !== undefined) return `must be flat: ${JSON.stringify(name.slice(0, 64))} ${fault}`;
  }
  return undefined;
}

function faultOfContent(content: unknown): string | undefined {
  if (typeof content === 'boolean') return undefined;
  if (typeof content === 'number') return Number.isFinite(content) ? undefined : 'must be a finite number';
  if (typeof content !== 'string') return 'must be a string, a number or a boolean';
  if (content.length > MAX_VALUE_LENGTH) return `must have at most ${MAX_VALUE_LENGTH} characters, it has ${content.length}`;
  return SINGLE_LINE.test(content) ? undefined : 'must not hold line breaks or other control characters';
}
