import { ValidateBy } from 'class-validator';

/** A number of seconds within bounds, fractions included. */
export function IsSeconds(min: number, max: number): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isSeconds',
      constraints: [min, max],
      validator: { validate: (value: unknown) => typeof value === 'number' && value >= min && value <= max },
    },
    { message: `$property must be a number of seconds from ${min} to ${max}` },
  );
}
