import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Database, type ShopTransaction } from '../database/database.js';
import { RETENTION_MS, decide, type Mark } from './decide.js';
import { RUN_DIGITS, type BeginOutcome, type Delivery, type OnUnknown } from './delivery.js';

/** Marks that are too old go with each that is new, so that there are never more than there is need of. */
const SWEPT_AT_ONCE = 10;

/** The rows of the delivery ledger. Each call may be repeated: the second changes nothing. */
@Injectable()
export class Marks {
  constructor(private readonly database: Database) {}

  begin(delivery: Delivery, onUnknown: OnUnknown): Promise<BeginOutcome> {
    return this.database.transaction(async (transaction) => {
      let mark: Mark | undefined;
      // One that is swept between the two is looked for in vain.
      while (mark === undefined) {
        if (await this.add(transaction, delivery)) {
          await this.sweep(transaction);
          return { kind: 'begun', afterUnknown: false };
        }
        mark = await this.held(transaction, delivery.id);
      }
      const decision = decide(mark, delivery, onUnknown);
      if (decision.kind === 'tell') return decision.outcome;
      await this.take(transaction, delivery, decision.unknown);
      return { kind: 'begun', afterUnknown: decision.unknown };
    });
  }

  /** A mail that was recorded before keeps the time of that. */
  async sent(delivery: Delivery): Promise<void> {
    await this.database.transaction((transaction) =>
      transaction
        .insertInto('deliveries')
        .values(this.rowOf(delivery, 'sent'))
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet((eb) => ({
              state: eb.ref('excluded.state'),
              job_id: eb.ref('excluded.job_id'),
              message_id: eb.ref('excluded.message_id'),
              at: eb.ref('excluded.at'),
            }))
            .where((eb) =>
              eb.or([
                eb('deliveries.state', '<>', 'sent'),
                eb('deliveries.at', '<', sql<number>`${this.database.engine.now} - ${RETENTION_MS}`),
              ]),
            ),
        )
        .execute(),
    );
  }

  /**
   * The row stays, and says that this run is over: its `begin` may have been given up, and be carried out later than this. It takes the
   * place of a row that says so of another run, but for a later one of the job.
   */
  async failed(delivery: Delivery): Promise<void> {
    await this.database.transaction((transaction) =>
      transaction
        .insertInto('deliveries')
        .values(this.rowOf(delivery, 'failed'))
        .onConflict((conflict) =>
          conflict
            .column('id')
            .doUpdateSet((eb) => ({
              state: eb.ref('excluded.state'),
              run: eb.ref('excluded.run'),
              job_id: eb.ref('excluded.job_id'),
              at: eb.ref('excluded.at'),
            }))
            .where((eb) => {
              const numberOf = (run: 'deliveries.run' | 'excluded.run') => sql`substr(${eb.ref(run)}, 1, ${sql.lit(RUN_DIGITS)})`;
              const isOwnMark = eb.and([
                eb('deliveries.state', '=', 'sending'),
                eb('deliveries.run', '=', delivery.run),
                eb('deliveries.unknown', '=', 0),
              ]);
              const isEarlierEnd = eb.and([
                eb('deliveries.state', '=', 'failed'),
                eb.or([
                  eb('deliveries.job_id', '<>', delivery.jobId),
                  eb(numberOf('deliveries.run'), '<', numberOf('excluded.run')),
                ]),
              ]);
              return eb.or([isOwnMark, isEarlierEnd]);
            }),
        )
        .execute(),
    );
  }

  /** @returns false when there is a row of that mail. */
  private async add(transaction: ShopTransaction, delivery: Delivery): Promise<boolean> {
    const added = await transaction
      .insertInto('deliveries')
      .values(this.rowOf(delivery, 'sending'))
      .onConflict((conflict) => conflict.column('id').doNothing())
      .returning('id')
      .executeTakeFirst();
    return added !== undefined;
  }

  private async held(transaction: ShopTransaction, id: string): Promise<Mark | undefined> {
    const { now, forUpdate } = this.database.engine;
    const row = await transaction
      .selectFrom('deliveries')
      .selectAll()
      .select(sql<number>`${now} - at`.as('age_ms'))
      .where('id', '=', id)
      .modifyEnd(forUpdate)
      .executeTakeFirst();
    if (row === undefined) return undefined;
    const { state, run, job_id, message_id, unknown, at, age_ms } = row;
    return { state, run, jobId: job_id, messageId: message_id, unknown: unknown === 1, at: new Date(at), ageMs: age_ms };
  }

  private async take(transaction: ShopTransaction, { id, run, jobId, messageId }: Delivery, unknown: boolean): Promise<void> {
    const mark = { state: 'sending' as const, run, job_id: jobId, message_id: messageId, unknown: unknown ? 1 : 0 };
    await transaction
      .updateTable('deliveries')
      .set({ ...mark, at: this.database.engine.now })
      .where('id', '=', id)
      .execute();
  }

  private async sweep(transaction: ShopTransaction): Promise<void> {
    const { now, forUpdateSkipLocked } = this.database.engine;
    await transaction
      .deleteFrom('deliveries')
      .where('id', 'in', (eb) =>
        eb
          .selectFrom('deliveries')
          .select('id')
          .where('at', '<', sql<number>`${now} - ${RETENTION_MS}`)
          .limit(SWEPT_AT_ONCE)
          .modifyEnd(forUpdateSkipLocked),
      )
      .execute();
  }

  private rowOf({ id, run, jobId, messageId }: Delivery, state: 'sending' | 'sent' | 'failed') {
    return { id, state, run, job_id: jobId, message_id: messageId, unknown: 0, at: this.database.engine.now };
  }
}
