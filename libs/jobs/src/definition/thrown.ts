/** What is kept of a thrown value: never its stack, which goes to the log alone. */
export interface ThrownFacts {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

const MAX_CHARACTERS = { name: 100, code: 100, message: 2_000 };

/** Describes whatever was thrown: an error, a string, undefined, or an object whose getters throw. Never throws itself. */
export function describeThrown(thrown: unknown): ThrownFacts {
  const name = textOf(() => (thrown as Error).name) ?? typeof thrown;
  return {
    name: cut(name, MAX_CHARACTERS.name),
    code: cut(textOf(() => (thrown as { code: unknown }).code) ?? 'error', MAX_CHARACTERS.code),
    message: cut(textOf(() => (thrown as Error).message) ?? printed(thrown), MAX_CHARACTERS.message),
  };
}

/** The stack of a thrown error, for the log. */
export function stackOf(thrown: unknown): string | undefined {
  return textOf(() => (thrown as Error).stack);
}

/** The property's value when it is a text with something in it, or a number; reading it may fail in any way. */
function textOf(read: () => unknown): string | undefined {
  try {
    const value = read();
    if (typeof value === 'number') return String(value);
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch {
    return undefined;
  }
}

function printed(thrown: unknown): string {
  try {
    return String(thrown);
  } catch {
    return 'A value was thrown that cannot be printed.';
  }
}

/**
 * Cut by characters, so that none is left in half, and made well-formed: it is stored and shown as JSON. Cut by units first: a
 * character has at most two, and a text of megabytes must not become a list.
 */
function cut(text: string, max: number): string {
  if (text.length <= max) return text.toWellFormed();
  return Array.from(text.slice(0, 2 * max))
    .slice(0, max)
    .join('')
    .toWellFormed();
}
