import { ValidateBy } from 'class-validator';

const MOST_ENTRIES = 20;
/** One status, or a range of them. Answers begin with 200: what comes before announces one. */
const ENTRY = /^([2-5]\d\d)(?:-([2-5]\d\d))?$/;

/** What a JSON schema can say of {@link IsStatusList}. */
export const STATUS_LIST_SCHEMA = {
  type: 'array' as const,
  minItems: 1,
  maxItems: MOST_ENTRIES,
  items: {
    anyOf: [
      { type: 'string' as const, pattern: ENTRY.source },
      { type: 'integer' as const, minimum: 200, maximum: 599 },
    ],
  },
  description: 'The statuses that count as success, and ranges of them, such as ["200-299", "404"]. Default: 200-299.',
};

/** 1 to 20 statuses from 200 to 599, each a number or a text, or ranges such as `200-299`. */
export function IsStatusList(): PropertyDecorator {
  return ValidateBy(
    { name: 'isStatusList', validator: { validate: isStatusList } },
    { message: `$property must be a list of 1 to ${MOST_ENTRIES} statuses from 200 to 599 or ranges of them, such as "200-299"` },
  );
}

/** @param list one that {@link IsStatusList} takes. */
export function isInStatusList(list: readonly (string | number)[], status: number): boolean {
  return list.some((entry) => {
    const { from, to } = rangeOf(entry) ?? { from: NaN, to: NaN };
    return status >= from && status <= to;
  });
}

function isStatusList(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length >= 1 &&
    value.length <= MOST_ENTRIES &&
    value.every((entry: unknown) => (typeof entry === 'string' || typeof entry === 'number') && rangeOf(entry) !== undefined)
  );
}

function rangeOf(entry: string | number): { readonly from: number; readonly to: number } | undefined {
  const [, first, last = first] = ENTRY.exec(String(entry)) ?? [];
  const [from, to] = [Number(first), Number(last)];
  return from <= to ? { from, to } : undefined;
}
