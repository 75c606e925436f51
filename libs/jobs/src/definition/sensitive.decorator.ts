const fieldsOf = new WeakMap<object, Set<string>>();

/**
 * Marks a field of a payload class, or of one nested in it, as nobody's business: its value reads `[redacted]` for all but the
 * handler and those who may manage jobs, and no message of a broken rule repeats it. In Redis it stands as it was submitted.
 */
export function Sensitive(): PropertyDecorator {
  return (prototype, field) => {
    const fields = fieldsOf.get(prototype) ?? new Set();
    fieldsOf.set(prototype, fields.add(String(field)));
  };
}

/**
 * For the options of a rule on a sensitive field whose message never repeats the value, such as one with a text of its own: it is told.
 */
export const DISCREET = { context: { isDiscreet: true } } as const;

/** Whether a field of objects with this prototype was marked, by their class or one that it extends. */
export function isSensitive(prototype: object | null, field: string): boolean {
  if (prototype === null) return false;
  // The prototype of a prototype is one, or null.
  return fieldsOf.get(prototype)?.has(field) === true || isSensitive(Object.getPrototypeOf(prototype) as object | null, field);
}
