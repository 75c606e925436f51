import { ValidateBy, type ValidationArguments } from 'class-validator';

/** Such texts stand in the order of their times. */
const SHAPE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a JSON schema can say of the same rule. */
export const UTC_TIME_SCHEMA = { type: 'string', format: 'date-time', pattern: SHAPE.source } as const;

/** A time as `Date.toISOString` writes it: `2026-01-31T23:59:59.999Z`. */
export function IsUtcTime(): PropertyDecorator {
  return ValidateBy(
    { name: 'isUtcTime', validator: { validate: isUtcTime } },
    { message: '$property must be a time in UTC with milliseconds, such as 2026-01-31T00:00:00.000Z' },
  );
}

/** A time after that of another field, where both are times. */
export function IsAfter(field: string): PropertyDecorator {
  return ValidateBy(
    {
      name: 'isAfter',
      constraints: [field],
      validator: {
        validate: (value: unknown, args?: ValidationArguments) => {
          // Read by its name alone: the payload's class is not known here.
          const other = (args?.object as Readonly<Record<string, unknown>> | undefined)?.[field];
          return !isUtcTime(value) || !isUtcTime(other) || other < value;
        },
      },
    },
    { message: '$property must be later than $constraint1' },
  );
}

function isUtcTime(value: unknown): value is string {
  if (typeof value !== 'string' || !SHAPE.test(value)) return false;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}
