import { CompiledQuery, SqliteDriver, type DatabaseConnection, type SqliteDialectConfig } from 'kysely';
import { errorFields } from '@antrean/platform';
import type { EngineSettings } from '../engine.js';
import { whileBusy } from './while-busy.js';

const BEGIN = CompiledQuery.raw('begin immediate');
const UNDONE = 'no transaction is active';

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

  /** A full disk, and some other faults, undo the transaction by themselves: what is to be told is the fault. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    try {
      await super.rollbackTransaction(connection);
    } catch (error) {
      if (!errorFields(error).message.includes(UNDONE)) throw error;
    }
  }
}
