import { ConfigError } from './config-error.js';

/** One environment variable: its name, what it must look like, and what holds when it is unset. */
export interface Variable<T> {
  readonly name: string;
  /** What a right value is, to stand after "expected": `a whole number of seconds from 1 to 3600`. */
  readonly expected: string;
  readonly fallback: T;
  /** The value may hold a password or a key: no message shows any part of it. */
  readonly secret?: boolean;
  parse(text: string): T | Wrong;
}

/** The answer of {@link Variable.parse} to a wrong value; `because` narrows down what is wrong with it. */
export class Wrong {
  constructor(readonly because?: string) {}
}

/** The variables of an application, by the names that its configuration gives them. */
export type VariableTable = Readonly<Record<string, Variable<unknown>>>;

/** The values of a {@link VariableTable}. */
export type ValuesOf<T extends VariableTable> = {
  readonly [K in keyof T]: T[K] extends Variable<infer V> ? V : never;
};

const LONGEST_SHOWN = 80;

/** Reads a whole table and gathers every fault, so that people mend them in one go. */
export class EnvReading<T extends VariableTable> {
  /** A wrong variable has its fallback here, so that the other checks can go on. */
  readonly values: ValuesOf<T>;
  private readonly faults = new Map<string, string>();

  /** Empty texts count as unset: compose files and shells write them for "none". */
  constructor(env: NodeJS.ProcessEnv, table: T) {
    const entries = Object.entries(table).map(([key, variable]) => [key, this.read(variable, env[variable.name]?.trim() ?? '')]);
    // The entries are the table's own keys, each with a value of its variable's type.
    this.values = Object.fromEntries(entries) as ValuesOf<T>;
  }

  /** Demands something of several variables together; passed over while one of them is wrong by itself. */
  demand(names: readonly [string, ...string[]], holds: boolean, fault: string): void {
    if (!holds && !names.some((name) => this.faults.has(name))) this.faults.set(names[0], fault);
  }

  /** @throws {ConfigError} when anything was wrong. */
  settle(): ValuesOf<T> {
    if (this.faults.size > 0) throw new ConfigError(this.faults);
    return this.values;
  }

  private read(variable: Variable<unknown>, text: string): unknown {
    if (text === '') return variable.fallback;
    const value = variable.parse(text);
    if (!(value instanceof Wrong)) return value;
    const found = variable.secret === true ? 'a value that is not shown' : shown(text);
    const because = value.because === undefined ? '' : ` (${value.because})`;
    this.faults.set(variable.name, `expected ${variable.expected}, found ${found}${because}.`);
    return variable.fallback;
  }
}

function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}
