/** The engine did what the model does not allow. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** @throws {Violation} */
export function must(holds: boolean, what: string): asserts holds {
  if (!holds) throw new Violation(what);
}
