import { IsInt } from 'class-validator';
import { JobHandler, Outbox, OutboxModule, defineJob, type Handles, type JobContext } from '@antrean/jobs';
import { Database, ShopModule, ShopOutbox, type ShopTransaction } from '@antrean/shop';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';

class ConfirmPayload {
  @IsInt() number!: number;
}
const Confirm = defineJob('order.confirm', { payload: ConfirmPayload });
const ran: number[] = [];

@JobHandler(Confirm)
class ConfirmHandler implements Handles<typeof Confirm> {
  handle({ payload }: JobContext<typeof Confirm>): void {
    ran.push(payload.number);
  }
}

describe.each(DATABASES)('two workers with an outbox on %s', (kind) => {
  const databases = testDatabases(kind);
  let workers: readonly [JobsApp, JobsApp];
  let database: Database;
  let outbox: Outbox<ShopTransaction>;

  beforeAll(async () => {
    const { url: databaseUrl } = await databases.migrated();
    const keyPrefix = newKeyPrefix();
    const start = () =>
      startJobsApp([Confirm], [ConfirmHandler], { keyPrefix }, [
        ShopModule.register({ databaseUrl, production: true, logger: silentLogger }),
        OutboxModule.forWorker({ store: ShopOutbox }),
      ]);
    workers = [await start(), await start()];
    database = workers[0].app.get(Database);
    outbox = workers[0].app.get(Outbox);
  });

  beforeEach(() => {
    ran.length = 0;
  });

  afterAll(async () => {
    for (const worker of workers) await worker.close();
  });

  it('run a job that was written in a transaction, and none of one that failed', async () => {
    const failed = database.transaction(async (transaction) => {
      await outbox.enqueue(transaction, Confirm, { number: 0 });
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    const { jobId } = await database.transaction((transaction) => outbox.enqueue(transaction, Confirm, { number: 1 }));
    await eventually(async () => {
      expect(await workers[0].status.get(jobId)).toMatchObject({ status: 'succeeded' });
    });
    expect(ran).toEqual([1]);
  });

  it('share the rows, and run each job once', async () => {
    const numbers = Array.from({ length: 300 }, (_, number) => number);
    await database.transaction(async (transaction) => {
      for (const number of numbers) await outbox.enqueue(transaction, Confirm, { number });
    });
    await eventually(async () => {
      const { counts } = await workers[0].status.depth(Confirm.type);
      expect(counts).toMatchObject({ queued: 0, processing: 0, succeeded: 301 });
    });
    expect(ran.toSorted((one, other) => one - other)).toEqual(numbers);
    expect(await database.tables.selectFrom('outbox').select('job_id').execute()).toEqual([]);
  });
});
