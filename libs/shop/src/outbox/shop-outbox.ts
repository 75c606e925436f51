import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { sql } from 'kysely';
import { OutboxStore, type OutboxLag, type OutboxRow, type TakenRow } from '@antrean/jobs';
import { Database, type ShopTransaction } from '../database/database.js';
import type { Listening } from '../database/engine.js';
import { inChunks } from '../database/in-chunks.js';
import { newId } from '../database/new-id.js';

const CHANNEL = 'antrean_outbox';
/** Where nobody is told of new rows. */
const LOOK_MS = 500;
/** Where they are told, and a connection may have broken. */
const LOOK_ALSO_MS = 5_000;

/** Jobs that were written together with the shop's own data. */
@Injectable()
export class ShopOutbox extends OutboxStore<ShopTransaction> implements OnApplicationShutdown {
  override readonly pollMs: number;
  private listening: Listening | undefined;

  constructor(private readonly database: Database) {
    super();
    this.pollMs = database.engine.news === undefined ? LOOK_MS : LOOK_ALSO_MS;
  }

  /** Writes rows as a part of the transaction. */
  override async add(transaction: ShopTransaction, rows: readonly OutboxRow[]): Promise<void> {
    const { now: created_at, news } = this.database.engine;
    const values = rows.map(({ jobId, type, entry }) => ({
      id: newId(),
      job_id: jobId,
      type,
      job: entry,
      created_at,
      taken_until: 0,
    }));
    for (const chunk of inChunks(values)) await transaction.insertInto('outbox').values(chunk).execute();
    if (news !== undefined) await news.tell(CHANNEL).execute(transaction);
  }

  /**
   * Takes rows that nobody has, at most `limit`: those that were never taken, the oldest first, then those that have been free the
   * longest. Nobody else gets them before the lease is over. Several may take at the same moment.
   */
  override async take(limit: number, leaseMs: number): Promise<readonly TakenRow[]> {
    const { now, forUpdateSkipLocked } = this.database.engine;
    // To look takes no turn from those who write.
    const any = this.database.tables.selectFrom('outbox').select('id').where('taken_until', '<=', now).limit(1);
    if ((await any.execute()).length === 0) return [];
    const rows = await this.database.transaction((transaction) =>
      transaction
        .with('free', (db) =>
          db
            .selectFrom('outbox')
            .select('id')
            .where('taken_until', '<=', now)
            .orderBy('taken_until')
            .orderBy('id')
            .limit(limit)
            .modifyEnd(forUpdateSkipLocked),
        )
        .updateTable('outbox')
        .set({ taken_until: sql<number>`${now} + ${leaseMs}` })
        .where('id', 'in', (eb) => eb.selectFrom('free').select('id'))
        .returning(['id', 'job_id', 'type', 'job', sql<number>`${now} - created_at`.as('age_ms')])
        .execute(),
    );
    return rows
      .sort((one, other) => (one.id < other.id ? -1 : 1))
      .map(({ job_id, type, job, age_ms }) => ({ jobId: job_id, type, entry: job, ageMs: age_ms }));
  }

  /** The jobs are in the queue. Rows that are gone already are no error. */
  override async remove(jobIds: readonly string[]): Promise<void> {
    for (const chunk of inChunks(jobIds)) {
      await this.database.transaction((transaction) => transaction.deleteFrom('outbox').where('job_id', 'in', chunk).execute());
    }
  }

  /** Lets the rows be taken again after the delay. */
  override async putBack(jobIds: readonly string[], delayMs: number): Promise<void> {
    const taken_until = sql<number>`${this.database.engine.now} + ${delayMs}`;
    for (const chunk of inChunks(jobIds)) {
      await this.database.transaction((transaction) =>
        transaction.updateTable('outbox').set({ taken_until }).where('job_id', 'in', chunk).execute(),
      );
    }
  }

  /** How many rows wait, and for how long the oldest has. */
  override async lag(): Promise<OutboxLag> {
    const { tables, engine } = this.database;
    const { rows, oldestMs } = await tables
      .selectFrom('outbox')
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .select(sql<number | null>`${engine.now} - min(created_at)`.as('oldestMs'))
      .executeTakeFirstOrThrow();
    return { rows, oldestMs: oldestMs ?? 0 };
  }

  override onAdded(callback: () => void): void {
    this.listening = this.database.engine.news?.listen(CHANNEL, callback);
  }

  async onApplicationShutdown(): Promise<void> {
    await this.listening?.stop();
  }
}
