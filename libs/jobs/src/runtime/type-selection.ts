/** Which types a worker runs, from the patterns of `WORKER_TYPES`: names, globs with `*`, and `!` before what is left out. */
export class TypeSelection {
  private readonly included: readonly string[];
  private readonly excluded: readonly string[];

  constructor(patterns: readonly string[]) {
    this.included = patterns.filter((pattern) => !pattern.startsWith('!'));
    this.excluded = patterns.filter((pattern) => pattern.startsWith('!')).map((pattern) => pattern.slice(1));
  }

  /** Only exclusions mean all but these. */
  includes(type: string): boolean {
    const wanted = this.included.length === 0 || this.included.some((pattern) => matches(pattern, type));
    return wanted && !this.excluded.some((pattern) => matches(pattern, type));
  }

  /** The types named outright, without a glob. */
  get named(): readonly string[] {
    return this.included.filter((pattern) => !pattern.includes('*'));
  }
}

function matches(pattern: string, type: string): boolean {
  const literal = pattern.split('*').map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${literal.join('.*')}$`).test(type);
}
