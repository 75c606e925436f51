import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { isFinal } from '@antrean/jobs';
import { Database, type ShopTransaction } from '../database/database.js';
import type { OrderJob, OrderJobStatus } from './order.js';

/** A job of an order of which there may be more to learn. */
interface OpenOrderJob {
  readonly jobId: string;
  /** It waits to be handed to the queue, which does not know of it yet. */
  readonly inOutbox: boolean;
}

/** What the queue said of jobs. */
interface Learnt {
  /** As they are. */
  readonly known: readonly OrderJob[];
  /** Ids of those that it does not have, though they were handed to it. */
  readonly gone: readonly string[];
}

/** Of a job that an order brings, when it is asked about first; each time that it is asked about doubles the wait. */
export const FIRST_CHECK_MS = 1_000;

const LOST = 'lost' satisfies OrderJobStatus;
const HOW_LOST = 'The queue does not have the job any more, and how it ended was not learnt before.';

/** How the jobs of orders ended: kept with the order, for longer than the queue does. */
@Injectable()
export class OrderOutcomes {
  constructor(private readonly database: Database) {}

  /**
   * Takes jobs that the queue is to be asked about, the longest due first, at most `limit`. Nobody else gets them until they are due
   * again: the later the more often it was asked, and `mostMs` at most. Several may take at the same moment.
   */
  async take(limit: number, mostMs: number): Promise<readonly OpenOrderJob[]> {
    const { tables, engine } = this.database;
    const { now, forUpdateSkipLocked } = engine;
    // To look takes no turn from those who write.
    const any = tables.selectFrom('order_jobs').select('job_id').where('check_at', '<=', now).limit(1);
    if ((await any.execute()).length === 0) return [];
    const doubled = sql<number>`${FIRST_CHECK_MS} * (2 << checks)`;
    const most = sql<number>`cast(${mostMs} as bigint)`;
    const taken = await this.database.transaction((transaction) =>
      transaction
        .with('due', (db) =>
          db
            .selectFrom('order_jobs')
            .select('job_id')
            .where('check_at', '<=', now)
            .orderBy('check_at')
            .limit(limit)
            .modifyEnd(forUpdateSkipLocked),
        )
        .updateTable('order_jobs')
        .set({
          check_at: sql<number>`${now} + case when checks < 16 and ${doubled} < ${most} then ${doubled} else ${most} end`,
          checks: sql<number>`checks + 1`,
        })
        .where('job_id', 'in', (eb) => eb.selectFrom('due').select('job_id'))
        .returning('job_id')
        .execute(),
    );
    // Others may have taken all that were seen.
    if (taken.length === 0) return [];
    const ids = taken.map(({ job_id }) => job_id);
    // Read before the queue is asked: a row goes only when the queue has its job.
    const rows = await tables.selectFrom('outbox').select('job_id').where('job_id', 'in', ids).execute();
    const waiting = new Set(rows.map(({ job_id }) => job_id));
    return ids.map((jobId) => ({ jobId, inOutbox: waiting.has(jobId) }));
  }

  /** The job runs once more: there will be more to learn of it, also where it counted as gone. */
  async follow(jobId: string): Promise<void> {
    await this.database.transaction((transaction) =>
      transaction
        .updateTable('order_jobs')
        .set({ check_at: sql<number>`${this.database.engine.now} + ${FIRST_CHECK_MS}`, checks: 0 })
        .where('job_id', '=', jobId)
        .execute(),
    );
  }

  /**
   * Keeps what was learnt. A job that has succeeded, and one that is gone, is not asked about any more; one that ended otherwise may
   * be replayed, and is looked after until it is gone.
   */
  async record({ known, gone }: Learnt): Promise<void> {
    if (known.length + gone.length === 0) return;
    await this.database.transaction(async (transaction) => {
      for (const job of known) await this.keep(transaction, job);
      for (const jobId of gone) await this.close(transaction, jobId);
    });
  }

  /** Of two that are told at once, or late, the later end stays; that a job is lost, which is no end of its own, gives way to any. */
  private async keep(transaction: ShopTransaction, job: OrderJob): Promise<void> {
    const { jobId, status, result, error, errorCode, finishedAt } = job;
    const ended = finishedAt?.getTime() ?? null;
    const isOver = ended !== null && status !== LOST && isFinal(status);
    await transaction
      .updateTable('order_jobs')
      .set({
        ...{ status, error, error_code: errorCode, finished_at: isOver ? ended : null },
        result: result === null ? null : JSON.stringify(result),
        ...(status === 'succeeded' && { check_at: null }),
      })
      .where('job_id', '=', jobId)
      .where((eb) =>
        isOver
          ? eb.or([eb('status', '=', LOST), eb('finished_at', 'is', null), eb('finished_at', '<=', ended)])
          : eb('finished_at', 'is', null),
      )
      .execute();
  }

  private async close(transaction: ShopTransaction, jobId: string): Promise<void> {
    const row = transaction.updateTable('order_jobs').where('job_id', '=', jobId);
    await row
      .set({ status: LOST, error: HOW_LOST, error_code: 'job_lost', finished_at: this.database.engine.now })
      .where('finished_at', 'is', null)
      .execute();
    await row.set({ check_at: null }).execute();
  }
}
