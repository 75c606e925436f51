import { Kysely, type Transaction } from 'kysely';
import { endsWithin, parseDatabaseUrl } from '@antrean/platform';
import type { ConnectionWatch, Engine, EngineSettings } from './engine.js';
import { postgresEngine } from './postgres/postgres-engine.js';
import { sqliteEngine } from './sqlite/sqlite-engine.js';
import type { ShopTables } from './tables.js';

/** What is done within one transaction. Statements of `Database.tables` see nothing of it before its end. */
export type ShopTransaction = Transaction<ShopTables>;

/** Connections that are in use are given up after that. */
const CLOSE_MS = 2_000;
const NOBODY: ConnectionWatch = { reached: () => undefined, missed: () => undefined };

/**
 * The shop's database: SQLite or PostgreSQL, as its address says. It connects at the first statement, and again by itself.
 * Every statement throws {@link DatabaseAwayError}, {@link ConstraintError} or {@link UnfitDatabaseError}; anything else is a fault
 * of the program.
 */
export class Database {
  /** For reading. What writes is a transaction, also when it is one statement: on SQLite only that waits for its turn. */
  readonly tables: Kysely<ShopTables>;
  /** What the two kinds say differently. */
  readonly engine: Engine;
  private readonly writing: Kysely<ShopTables>;
  private closed: Promise<unknown> | undefined;

  /** @param url as `DATABASE_URL` holds it. */
  constructor(url: string, { patient = false, watch = NOBODY }: Partial<EngineSettings> = {}) {
    const target = parseDatabaseUrl(url);
    const settings = { patient, watch };
    this.engine = target.kind === 'sqlite' ? sqliteEngine(target.file, settings) : postgresEngine(target.url, settings);
    const connect = () => new Kysely<ShopTables>({ dialect: this.engine.newDialect() });
    this.tables = connect();
    this.writing = this.engine.writesApart ? connect() : this.tables;
  }

  /**
   * All of it, or nothing. It waits for nothing but its own statements: on SQLite all others that write wait for it.
   * @throws {DatabaseAwayError} also when its end was not answered; whether it took effect is unknown then.
   */
  transaction<T>(work: (transaction: ShopTransaction) => Promise<T>): Promise<T> {
    return this.writing.transaction().execute(work);
  }

  /** Resolves once all connections are closed, or were given up. */
  async close(): Promise<void> {
    this.closed ??= Promise.all([...new Set([this.tables, this.writing])].map((connections) => connections.destroy()));
    await endsWithin(this.closed, CLOSE_MS);
  }
}
