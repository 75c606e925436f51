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

/** Whether a field of objects with this prototype was marked, by their class or one that it extends. */
export function isSensitive(prototype: object | null, field: string): boolean {
  if (prototype === null) return false;
  // The prototype of a prototype is one, or null.
  return fieldsOf.get(prototype)?.has(field) === true || isSensitive(Object.getPrototypeOf(prototype) as object | null, field);
}
