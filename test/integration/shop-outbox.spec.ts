import { EventEmitter, once } from 'node:events';
import { Database, ShopOutbox } from '@antrean/shop';
import { DATABASES, testDatabases } from '../support/shop-database.js';

const LEASE_MS = 60_000;

describe.each(DATABASES)('the outbox on %s', (kind) => {
  const databases = testDatabases(kind);
  let url: string;
  let database: Database;
  let outbox: ShopOutbox;

  beforeAll(async () => {
    ({ url, database } = await databases.migrated());
    outbox = new ShopOutbox(database);
  });

  beforeEach(() => database.tables.deleteFrom('outbox').execute());

  const add = (count: number, from = 0) => {
    const rows = Array.from({ length: count }, (_, index) => rowOf(from + index));
    return database.transaction((transaction) => outbox.add(transaction, rows));
  };
  const rowOf = (number: number) => ({ jobId: `job-${number}`, type: 'email.send', entry: `{"n":${number}}` });
  const idsOf = (rows: readonly { readonly jobId: string }[]) => rows.map(({ jobId }) => jobId);

  it('has what was added, the oldest first, and only if the transaction held', async () => {
    await add(3);
    const failed = database.transaction(async (transaction) => {
      await outbox.add(transaction, [rowOf(3)]);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    const taken = await outbox.take(2, LEASE_MS);
    expect(taken).toMatchObject([rowOf(0), rowOf(1)]);
    for (const { ageMs } of taken) expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(await outbox.take(10, LEASE_MS)).toMatchObject([rowOf(2)]);
    expect(await outbox.take(10, LEASE_MS)).toEqual([]);
  });

  it('gives a row to one of many that take at once, from several connections', async () => {
    await add(1_000);
    const others = Array.from({ length: 3 }, () => new Database(url));
    try {
      const takers = [database, ...others].map((one) => new ShopOutbox(one));
      const taken: string[] = [];
      const drain = async (taker: ShopOutbox): Promise<void> => {
        for (;;) {
          const rows = await taker.take(25, LEASE_MS);
          if (rows.length === 0) return;
          taken.push(...idsOf(rows));
        }
      };
      await Promise.all([...takers, ...takers].map(drain));
      expect(taken).toHaveLength(1_000);
      expect(new Set(taken).size).toBe(1_000);
    } finally {
      await Promise.all(others.map((one) => one.close()));
    }
  });

  it('gives a row again when its lease is over, or when it was put back', async () => {
    await add(1);
    await outbox.take(1, 0);
    expect(idsOf(await outbox.take(1, LEASE_MS))).toEqual(['job-0']);
    await outbox.putBack(['job-0', 'job-of-nobody'], 0);
    expect(idsOf(await outbox.take(1, LEASE_MS))).toEqual(['job-0']);
    await outbox.putBack(['job-0'], LEASE_MS);
    await add(2, 1);
    expect(idsOf(await outbox.take(10, LEASE_MS))).toEqual(['job-1', 'job-2']);
  });

  it('gives rows that were put back only after those that were never taken', async () => {
    await add(3);
    await outbox.take(2, LEASE_MS);
    await outbox.putBack(['job-0'], 0);
    await outbox.putBack(['job-1'], -1_000);
    await add(1, 3);
    const next = async () => idsOf(await outbox.take(1, LEASE_MS));
    expect([await next(), await next(), await next(), await next()].flat()).toEqual(['job-2', 'job-3', 'job-1', 'job-0']);
  });

  it('forgets what was handed on, and says how many wait and for how long', async () => {
    expect(await outbox.lag()).toEqual({ rows: 0, oldestMs: 0 });
    await add(3);
    await database.tables.updateTable('outbox').set({ created_at: 1_000 }).where('job_id', '=', 'job-1').execute();
    const { rows, oldestMs } = await outbox.lag();
    expect(rows).toBe(3);
    expect(Math.abs(Date.now() - 1_000 - oldestMs)).toBeLessThan(60_000);
    await outbox.remove(['job-1', 'job-2', 'job-of-nobody']);
    await outbox.remove([]);
    expect(idsOf(await outbox.take(10, LEASE_MS))).toEqual(['job-0']);
    expect((await outbox.lag()).rows).toBe(1);
  });
});

describe('the outbox on PostgreSQL, which can tell of new rows', () => {
  const databases = testDatabases('PostgreSQL');
  let database: Database;
  let listener: ShopOutbox;
  let elsewhere: Database;
  const told = new EventEmitter();
  const heard = () => once(told, 'told');
  const add = (jobId: string) =>
    database.transaction((transaction) =>
      new ShopOutbox(database).add(transaction, [{ jobId, type: 'email.send', entry: '{}' }]),
    );

  beforeAll(async () => {
    let url: string;
    ({ url, database } = await databases.migrated());
    elsewhere = new Database(url);
    listener = new ShopOutbox(elsewhere);
    const listens = heard();
    listener.onAdded(() => told.emit('told'));
    await listens;
  });

  afterAll(async () => {
    await listener.onApplicationShutdown();
    await elsewhere.close();
  });

  it('calls who listens from another connection', async () => {
    const call = heard();
    await add('job-1');
    await call;
  });

  it('calls again once a server that had crashed is back', async () => {
    const back = heard();
    await databases.server.kill();
    await databases.server.restart();
    await back;
    const call = heard();
    await add('job-2');
    await call;
  });
});
