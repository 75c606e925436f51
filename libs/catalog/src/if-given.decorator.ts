import { ValidateIf } from 'class-validator';

/**
 * The field may be left out. It may not be null: a client whose number is none (NaN) sends null, and would not learn of it. The JSON
 * schema says the same.
 */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_payload, value: unknown) => value !== undefined);
}
