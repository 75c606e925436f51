import { Wrong, type Variable } from './variable.js';

/** One word out of a closed set. */
export function choice<const W extends string>(name: string, words: readonly W[], fallback: W): Variable<W> {
  return {
    name,
    expected: `one of ${words.join(', ')}`,
    fallback,
    parse: (text) => words.find((word) => word === text) ?? new Wrong(),
  };
}
