import { CompiledQuery, SqliteDriver, type DatabaseConnection, type SqliteDialectConfig } from 'kysely';
import type { EngineSettings } from '../engine.js';
import { whileBusy } from './while-busy.js';

const BEGIN = CompiledQuery.raw('begin immediate');

/**
 * Transactions take the right to write when they begin: one that took it at its first write could find that what it had read
 * before is out of date, and fail without having waited.
 */
export class ImmediateSqliteDriver extends SqliteDriver {
  constructor(
    config: SqliteDialectConfig,
    private readonly settings: EngineSettings,
  ) {
    super(config);
  }

  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await whileBusy(this.settings, () => connection.executeQuery(BEGIN));
  }
}
