import { isSelfContained } from './self-contained.js';

/** Deeper than any options of a rule; a circle ends here, too. */
const DEEPEST = 8;

/**
 * What a decorator was given, as a text that is the same in every process, whatever the order of keys; undefined when no text
 * can stand for it, such as for a function that reads variables from around it.
 */
export function ruleText(value: unknown, depth = 0): string | undefined {
  if (depth > DEEPEST) return undefined;
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'undefined':
      return `${typeof value}:${Object.is(value, -0) ? '-0' : String(value)}`;
    case 'function':
      return functionText(value);
    case 'symbol':
      return undefined;
    case 'object':
      return objectText(value, depth);
  }
}

function functionText(value: unknown): string | undefined {
  const text = String(value);
  return isSelfContained(text) ? `function:${text}` : undefined;
}

function objectText(value: object | null, depth: number): string | undefined {
  if (value === null) return 'null';
  if (value instanceof RegExp) return `regexp:${String(value)}`;
  if (value instanceof Date) return `date:${value.getTime()}`;
  if (Array.isArray(value))
    return joined(
      '[',
      Array.from(value, (entry: unknown) => ruleText(entry, depth + 1)),
      ']',
    );
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) return undefined;
  const entries = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  const texts = entries.map(([key, entry]: [string, unknown]) => {
    const text = ruleText(entry, depth + 1);
    return text === undefined ? undefined : `${JSON.stringify(key)}=${text}`;
  });
  return joined('{', texts, '}');
}

function joined(open: string, texts: readonly (string | undefined)[], close: string): string | undefined {
  return texts.includes(undefined) ? undefined : `${open}${texts.join(',')}${close}`;
}
