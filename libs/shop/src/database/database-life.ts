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

/** Ties the database to the application's life: its tables are looked after at start, and its connections closed at the end. */
export class DatabaseLife implements OnModuleInit, OnApplicationShutdown {
  private readonly over = new AbortController();
  private fault: string | undefined;

  constructor(
    private readonly database: Database,
    private readonly options: DatabaseLifeOptions,
  ) {}

  /**
   * An application whose database is away starts all the same, and looks after the tables when it comes.
   * @throws {UnfitDatabaseError}
   */
  async onModuleInit(): Promise<void> {
    try {
      await this.prepare();
    } catch (error) {
      if (!(error instanceof DatabaseAwayError)) throw error;
      this.fault = 'The database has not answered yet since this process started.';
      void this.prepareWhenItComes();
    }
  }

  async onApplicationShutdown(): Promise<void> {
    this.over.abort();
    await this.database.close();
  }

  /** Never rejects; answers within two seconds. */
  async check(): Promise<DatabaseReport> {
    const look = this.database.tables.selectFrom('shop_migrations').select('version').limit(1).execute();
    const ping = await endsWithin(look, LOOK_MS).catch(() => false);
    return { ping, detail: this.fault ?? (ping ? null : 'The database does not answer.') };
  }

  private async prepare(): Promise<void> {
    const { databaseUrl, production, logger } = this.options;
    if (production) return demandMigrated(this.database);
    const steps = await migrate(databaseUrl);
    if (steps > 0) logger.debug({ migrations: steps }, 'the tables of the database were brought up to this version');
  }

  private async prepareWhenItComes(): Promise<void> {
    const { signal } = this.over;
    for (;;) {
      await pause(RETRY_MS, undefined, { signal, ref: false }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        await this.prepare();
        this.fault = undefined;
        return;
      } catch (error) {
        if (error instanceof DatabaseAwayError) continue;
        this.fault =
          error instanceof UnfitDatabaseError ? error.message : 'The tables of the database could not be looked after.';
        this.options.logger.error({ err: error }, 'this process cannot work on its database');
        return;
      }
    }
  }
}
