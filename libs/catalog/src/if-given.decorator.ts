import { ValidateIf } from 'class-validator';

/** Absent is fine, null is not: the JSON schema says the same. */
export function IfGiven(): PropertyDecorator {
  return ValidateIf((_payload, value: unknown) => value !== undefined);
}
