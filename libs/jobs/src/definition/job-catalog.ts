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

  find(type: string): JobDefinition | undefined {
    return this.byType.get(type);
  }

  /** @throws {UnknownJobTypeError} naming the known types. */
  get(type: string): JobDefinition {
    const definition = this.byType.get(type);
    if (definition === undefined) throw new UnknownJobTypeError(type, this.types);
    return definition;
  }
}
