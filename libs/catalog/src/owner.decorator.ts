import { Length, Matches } from 'class-validator';
import { JSONSchema } from 'class-validator-jsonschema';
import { SINGLE_LINE } from './single-line.js';

/** An opaque label of whose something is: one line of 1 to 128 characters. */
export function IsOwner(description: string): PropertyDecorator {
  const rules = [
    Matches(SINGLE_LINE, { message: '$property must not hold line breaks or other control characters' }),
    Length(1, 128, { message: '$property must have 1 to 128 characters' }),
    JSONSchema({ description }),
  ];
  return (target, property) => {
    for (const rule of rules) rule(target, String(property));
  };
}
