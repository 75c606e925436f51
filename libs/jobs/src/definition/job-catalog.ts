import { UnknownJobTypeError } from './errors.js';
import type { JobDefinition } from './job-definition.js';

/** All job types an application knows. */
export class JobCatalog {
  private readonly byType: ReadonlyMap<string, JobDefinition>;

  /** @throws {TypeError} when two definitions share a type. */
  constructor(definitions: readonly JobDefinition[]) {
    const byType = new Map<string, JobDefinition>();
    for (const definition of definitions) {
      if (byType.has(definition.type)) throw new TypeError(`The job type "${definition.type}" is defined twice.`);
      byType.set(definition.type, definition);
    }
    this.byType = byType;
  }

  get types(): readonly string[] {
    return [...this.byType.keys()];
  }

  get all(): readonly JobDefinition[] {
    return [...this.byType.values()];
  }

  /** Without those that are internal. */
  get open(): readonly JobDefinition[] {
    return this.all.filter(({ internal }) => !internal);
  }

  find(type: string): JobDefinition | undefined {
    return this.byType.get(type);
  }

  /** @throws {UnknownJobTypeError} naming the known types. */
  get(type: string): JobDefinition {
    const definition = this.byType.get(type);
    if (definition === undefined) throw new UnknownJobTypeError(type, this.types);
    return definition;
  }

  /** As {@link get}, for whoever may not submit internal types. @throws {UnknownJobTypeError} naming the known types. */
  getOpen(type: string): JobDefinition {
    const definition = this.byType.get(type);
    if (definition === undefined || definition.internal) {
      throw new UnknownJobTypeError(
        type,
        this.open.map((each) => each.type),
      );
    }
    return definition;
  }
}
