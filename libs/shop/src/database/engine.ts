import type { Dialect, RawBuilder } from 'kysely';

/** One kind of database: how it is reached, and how it says what the two say differently. */
export interface Engine {
  /** Connections of its own, made at the first statement. All that they throw is told apart as in `database-errors.ts`. */
  newDialect(): Dialect;
  /** Whether transactions have connections of their own, so that reading goes on while they wait for the right to write. */
  readonly writesApart: boolean;
  /** The database's own time, in ms since 1970. */
  readonly now: RawBuilder<number>;
  /** Ends a select whose rows nobody else is to change before the transaction ends. */
  readonly forUpdate: RawBuilder<unknown>;
  /** The same, but rows that somebody else holds are left out. */
  readonly forUpdateSkipLocked: RawBuilder<unknown>;
  /** How processes tell each other that something was written; undefined where they have to look for it. */
  readonly news: News | undefined;
  /** Lets one process at a time go on with migrations, or with the example, until the transaction ends. */
  readonly lockSetUp: RawBuilder<unknown>;
  /** A condition that holds while the database takes no writes, as a standby does, and what to say then. */
  readonly readOnly: { readonly when: RawBuilder<boolean | number>; readonly detail: string };
  /** Selects a row if there is such a table. */
  tableNamed(name: string): RawBuilder<unknown>;
}

export interface News {
  /** Tells all who listen, once the transaction has taken effect. */
  tell(channel: string): RawBuilder<unknown>;
  /** Calls back when something was told, or may have been. A call too many does no harm. */
  listen(channel: string, callback: () => void): Listening;
}

export interface Listening {
  /** Resolves when there will be no more calls. */
  stop(): Promise<void>;
}

export interface EngineSettings {
  /** For migrations, which wait for each other and may take their time: no statement is broken off. */
  readonly patient: boolean;
  /** Told of each try to connect to a server. */
  readonly watch: ConnectionWatch;
}

/** Hears whether a server can be reached. */
export interface ConnectionWatch {
  reached(): void;
  missed(cause: unknown): void;
}
