import { setTimeout as pause } from 'node:timers/promises';
import type { OnApplicationShutdown, OnModuleInit } from '@nestjs/common';
import { endsWithin, type Logger } from '@antrean/platform';
import { demandMigrated, migrate } from '../migrations/migrate.js';
import { DatabaseAwayError, UnfitDatabaseError } from './database-errors.js';
import type { Database } from './database.js';

export interface DatabaseLifeOptions {
  readonly databaseUrl: string;
  /** The tables are made by a command then, and not at start. */
  readonly production: boolean;
  readonly logger: Logger;
}

/** What was found out about the database; `detail` says what is wrong, in plain words. */
export interface DatabaseReport {
  readonly ping: boolean;
  readonly detail: string | null;
}

const RETRY_MS = 1_000;
/** A server that hangs answers nobody. */
const LOOK_MS = 2_000;
const SILENT = 'The database has not answered yet since this process started.';
const MUTE = 'The database does not answer.';
const UNCLEAR = 'The tables of the database could not be looked after: the log says why.';

/** Ties the database to the application's life: its tables are looked after at start, and its connections closed at the end. */
export class DatabaseLife implements OnModuleInit, OnApplicationShutdown {
  /** Resolves once the tables were found, or made, as this version needs them. What changes later does not matter to it. */
  readonly fit: Promise<void>;
  private settle: () => void = () => undefined;
  private readonly over = new AbortController();
  private fault: string | undefined = SILENT;

  constructor(
    private readonly database: Database,
    private readonly options: DatabaseLifeOptions,
  ) {
    this.fit = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Why it was not found fit yet, in plain words; undefined once it was. */
  get heldBy(): string | undefined {
    return this.fault;
  }

  /** The same, if it was looked at: what an outage is no reason for, is one for this. */
  get refusal(): string | undefined {
    return this.fault === SILENT ? undefined : this.fault;
  }

  /**
   * An application whose database is away starts all the same, and looks after the tables when it comes.
   * @throws {UnfitDatabaseError}
   */
  async onModuleInit(): Promise<void> {
    try {
      await this.prepare();
    } catch (error) {
      if (!(error instanceof DatabaseAwayError)) throw error;
      void this.prepareWhenItComes();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.over.abort();
    await this.database.close();
  }

  /** Never rejects; answers within two seconds. */
  async check(): Promise<DatabaseReport> {
    const { tables, engine } = this.database;
    const look = tables.selectFrom('shop_migrations').select(engine.readOnly.when.as('readOnly')).limit(1).execute();
    try {
      if (!(await endsWithin(look, LOOK_MS))) return { ping: false, detail: this.fault ?? MUTE };
      const isReadOnly = (await look).some(({ readOnly }) => readOnly);
      return { ping: true, detail: this.fault ?? (isReadOnly ? engine.readOnly.detail : null) };
    } catch (error) {
      return { ping: false, detail: this.fault ?? (error instanceof UnfitDatabaseError ? error.message : MUTE) };
    }
  }

  private async prepare(): Promise<void> {
    const { databaseUrl, production, logger } = this.options;
    if (production) await demandMigrated(this.database);
    else {
      const steps = await migrate(databaseUrl);
      if (steps > 0) logger.debug({ migrations: steps }, 'the tables of the database were brought up to this version');
    }
    this.fault = undefined;
    this.settle();
  }

  /** Somebody may mend what it was found unfit for. */
  private async prepareWhenItComes(): Promise<void> {
    const { signal } = this.over;
    for (;;) {
      await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.prepare();
        this.options.logger.info('the database is fit, work on it begins');
        return;
      } catch (error) {
        if (!(error instanceof DatabaseAwayError)) this.refuse(error);
      }
    }
  }

  private refuse(error: unknown): void {
    const fault = error instanceof UnfitDatabaseError ? error.message : UNCLEAR;
    // Once, however often it is looked at.
    if (fault !== this.fault) {
      this.options.logger.error({ err: error }, 'this process cannot work on its database, and waits until that is mended');
    }
    this.fault = fault;
  }
}
