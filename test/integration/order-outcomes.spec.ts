import { Test } from '@nestjs/testing';
import { IsInt } from 'class-validator';
import { sql } from 'kysely';
import {
  JobHandler,
  JobsModule,
  OutboxModule,
  PermanentError,
  StatusService,
  defineJob,
  type Handles,
  type JobContext,
} from '@antrean/jobs';
import { Customers, Database, OrderOutcomes, Orders, ShopModule, ShopOutbox, type OrderJob } from '@antrean/shop';
import { OutcomeFollower } from '../../apps/worker/src/orders/outcome-follower.js';
import { freePort } from '../support/free-port.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';

class ConfirmPayload {
  @IsInt() number!: number;
}
const Confirm = defineJob('order.confirm', { payload: ConfirmPayload, attempts: 1 });
let refuses = false;

@JobHandler(Confirm)
class ConfirmHandler implements Handles<typeof Confirm> {
  handle({ payload }: JobContext<typeof Confirm>): object {
    if (refuses) throw new PermanentError('Not today.', { code: 'not_today' });
    return { number: payload.number };
  }
}

const TEA = { sku: 'TEA-01', name: 'Tea', quantity: 2, unitPriceMinor: 450 };
const LONGEST_PAUSE_MS = 60_000;

describe.each(DATABASES)('the jobs of orders on %s', (kind) => {
  const databases = testDatabases(kind);
  let app: JobsApp;
  let database: Database;
  let orders: Orders;
  let follower: OutcomeFollower;
  let customerId: string;

  beforeAll(async () => {
    const { url: databaseUrl } = await databases.migrated();
    app = await startJobsApp([Confirm], [ConfirmHandler], { retentionMs: 600_000 }, [
      ShopModule.register({ databaseUrl, production: true, logger: silentLogger }),
      // No relay: what is in the outbox stays there.
      OutboxModule.forProducer({ store: ShopOutbox }),
    ]);
    database = app.app.get(Database);
    orders = app.app.get(Orders);
    follower = new OutcomeFollower(app.app.get(OrderOutcomes), app.status, LONGEST_PAUSE_MS);
    await database.transaction((transaction) => app.app.get(Customers).upsert(transaction, [{ email: 'ana@example.com' }]));
    customerId = (await database.tables.selectFrom('customers').select('id').executeTakeFirstOrThrow()).id;
  });

  beforeEach(async () => {
    refuses = false;
    await database.tables.deleteFrom('order_jobs').execute();
  });

  afterAll(() => app.close());

  const orderWith = (...jobIds: readonly string[]) =>
    database.transaction(async (transaction) => {
      const id = await orders.add(transaction, { customerId, currency: 'EUR', items: [TEA] });
      await orders.addJobs(
        transaction,
        id,
        jobIds.map((jobId) => ({ type: Confirm.type, jobId })),
      );
      return id;
    });
  const jobsOf = async (orderId: string) => (await orders.get(orderId))?.jobs;
  /** As time would make them. */
  const makeDue = () =>
    database.tables.updateTable('order_jobs').set({ check_at: 0 }).where('check_at', 'is not', null).execute();
  const checks = async () => {
    const rows = await database.tables.selectFrom('order_jobs').select(['check_at', 'checks']).orderBy('job_id').execute();
    return rows;
  };
  const ended = async (status: 'succeeded' | 'failed') => {
    const { jobId } = await app.queue.enqueue(Confirm, { number: 7 });
    await app.until(jobId, (job) => job.status === status);
    return jobId;
  };

  it('bring how they ended back to their order, where it stays when the queue has forgotten them', async () => {
    const jobId = await ended('succeeded');
    const id = await orderWith(jobId);
    expect(await jobsOf(id)).toMatchObject([{ status: 'queued', finishedAt: null }]);
    await makeDue();
    await follower.tick();
    const learnt = { jobId, status: 'succeeded', result: { number: 7 }, error: null, finishedAt: expect.any(Date) as Date };
    expect(await jobsOf(id)).toMatchObject([learnt]);
    expect(await checks()).toEqual([{ check_at: null, checks: 1 }]);
    await app.control.remove(jobId);
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([learnt]);
  });

  it('that failed are looked after until they are gone: a replay may end otherwise', async () => {
    refuses = true;
    const jobId = await ended('failed');
    const id = await orderWith(jobId);
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([{ status: 'failed', error: 'Not today.', errorCode: 'not_today' }]);

    refuses = false;
    await app.control.replay(jobId, {});
    await app.until(jobId, ({ status }) => status === 'succeeded');
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([{ status: 'succeeded', result: { number: 7 }, error: null, errorCode: null }]);
  });

  it('that failed and are gone stay failed', async () => {
    refuses = true;
    const jobId = await ended('failed');
    const id = await orderWith(jobId);
    await makeDue();
    await follower.tick();
    await app.control.remove(jobId);
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([{ status: 'failed', errorCode: 'not_today' }]);
    expect(await checks()).toEqual([{ check_at: null, checks: 2 }]);
  });

  it.each([0, 2])('that were gone and run again are learnt of, by a database %d hours ahead of Redis', async (hours) => {
    const gone = await ended('succeeded');
    await app.control.remove(gone);
    const id = await orderWith(gone);
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([{ status: 'lost' }]);
    const finished_at = sql<number>`finished_at + ${hours * 3_600_000}`;
    await database.tables.updateTable('order_jobs').set({ finished_at }).execute();
    await app.queue.enqueue(Confirm, { number: 8 }, { jobId: gone });
    await app.app.get(OrderOutcomes).follow(gone);
    await app.until(gone, ({ status }) => status === 'succeeded');
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([{ status: 'succeeded', result: { number: 8 } }]);
  });

  it('that the queue does not have are lost, unless they wait in the outbox for it', async () => {
    const jobId = 'order.confirm_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0';
    const id = await orderWith(jobId);
    await database.transaction((transaction) =>
      new ShopOutbox(database).add(transaction, [{ jobId, type: Confirm.type, entry: '{}' }]),
    );
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([{ status: 'queued', finishedAt: null }]);
    await database.tables.deleteFrom('outbox').execute();
    await makeDue();
    await follower.tick();
    expect(await jobsOf(id)).toMatchObject([
      {
        status: 'lost',
        errorCode: 'job_lost',
        error: expect.stringContaining('does not have') as string,
        finishedAt: expect.any(Date) as Date,
      },
    ]);
    expect(await checks()).toMatchObject([{ check_at: null }]);
  });

  it('are asked about less and less often while they go on, and say meanwhile how far they are', async () => {
    const { jobId } = await app.queue.enqueue(Confirm, { number: 1 }, { delayMs: 3_600_000 });
    const id = await orderWith(jobId);
    const waits: number[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      await makeDue();
      await follower.tick();
      const [row] = await checks();
      const { now } = await database.tables.selectNoFrom(database.engine.now.as('now')).executeTakeFirstOrThrow();
      waits.push(Math.round(((row?.check_at ?? 0) - now) / 1_000));
    }
    expect(waits.map((wait) => Math.min(wait, 60))).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
    expect(await jobsOf(id)).toMatchObject([{ status: 'scheduled', finishedAt: null }]);
  });

  it('are shared by several who ask at once', async () => {
    const ids = Array.from({ length: 250 }, (_, nth) => `order.confirm_${String(nth).padStart(26, '0')}`);
    await orderWith(...ids);
    await makeDue();
    const outcomes = app.app.get(OrderOutcomes);
    const taken = await Promise.all(Array.from({ length: 5 }, () => outcomes.take(60, LONGEST_PAUSE_MS)));
    const jobIds = taken.flat().map(({ jobId }) => jobId);
    expect(jobIds).toHaveLength(250);
    expect(new Set(jobIds).size).toBe(250);
    expect(await outcomes.take(60, LONGEST_PAUSE_MS)).toEqual([]);
  });

  it('are shared, too, when others have taken all of them before one who saw them', async () => {
    const outcomes = app.app.get(OrderOutcomes);
    for (let round = 0; round < 5; round += 1) {
      await database.tables.deleteFrom('order_jobs').execute();
      await orderWith(...Array.from({ length: 50 }, (_, nth) => `order.confirm_${String(nth).padStart(26, '0')}`));
      await makeDue();
      const taken = await Promise.all(Array.from({ length: 8 }, () => outcomes.take(60, LONGEST_PAUSE_MS)));
      expect(new Set(taken.flat().map(({ jobId }) => jobId)).size).toBe(50);
      expect(taken.flat()).toHaveLength(50);
    }
  });

  it('keep their end when somebody tells late how they were before', async () => {
    const jobId = 'order.confirm_01JDVZ8XQ4T4Y8Q7M5K3N2P1R1';
    const id = await orderWith(jobId);
    const outcomes = app.app.get(OrderOutcomes);
    const at = (status: OrderJob['status'], ms: number | null) => ({
      ...{ type: Confirm.type, jobId, status, result: null, error: null, errorCode: null },
      finishedAt: ms === null ? null : new Date(ms),
    });
    await outcomes.record({ known: [at('succeeded', 2_000)], gone: [] });
    await outcomes.record({ known: [at('processing', null), at('failed', 1_000)], gone: [] });
    expect(await jobsOf(id)).toMatchObject([{ status: 'succeeded' }]);
  });

  it('are left as they are while the queue does not answer', async () => {
    const redisUrl = `redis://127.0.0.1:${await freePort()}`;
    const options = { definitions: [Confirm], redisUrl, keyPrefix: 'away', maxPayloadBytes: 1_000, logger: silentLogger };
    const away = await Test.createTestingModule({ imports: [JobsModule.forProducer(options)] }).compile();
    try {
      const id = await orderWith('order.confirm_01JDVZ8XQ4T4Y8Q7M5K3N2P1R2');
      await makeDue();
      await expect(
        new OutcomeFollower(app.app.get(OrderOutcomes), away.get(StatusService), LONGEST_PAUSE_MS).tick(),
      ).rejects.toMatchObject({
        code: 'queue_unavailable',
      });
      expect(await jobsOf(id)).toMatchObject([{ status: 'queued', finishedAt: null }]);
    } finally {
      await away.close();
    }
  });
});
