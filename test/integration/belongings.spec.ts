import { setImmediate as turn } from 'node:timers/promises';
import { ImportCustomers } from '@antrean/catalog';
import { BelongingsModule, newJobId } from '@antrean/jobs';
import { StorageModule, createLogger, parseStorageName } from '@antrean/platform';
import { ShopModule } from '@antrean/shop';
import { StoredBelongings } from '../../apps/worker/src/belongings/stored-belongings.js';
import { BOTH, BelongingsStage, NOTHING } from '../support/belongings-stage.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';
import { testDatabases } from '../support/shop-database.js';
import { folderStorage, s3Storage, type TestStorage } from '../support/stored-files.js';

const DAY = 24 * 60;
const ORIGIN = parseStorageName('jobs/import.customers/redis.json');

/** Counts what is thrown while the others are removed all the same. */
class Stubborn extends StoredBelongings {
  readonly kept = new Set<string>();

  override remove(jobId: string): Promise<boolean> {
    if (this.kept.has(jobId)) throw new Error('It cannot be removed.');
    return super.remove(jobId);
  }
}

describe.each<[string, () => Promise<TestStorage>]>([
  ['a folder', folderStorage],
  ['S3', s3Storage],
])('what jobs have stored in %s and in the database', (_kind, open) => {
  const databases = testDatabases('SQLite');
  let files: TestStorage;
  let databaseUrl: string;
  let stage: BelongingsStage;

  beforeEach(async () => {
    files = await open();
    const { url, database } = await databases.migrated();
    databaseUrl = url;
    stage = await BelongingsStage.open(files.storage, database);
  });
  afterEach(async () => {
    await stage.close();
    await files.remove();
  });

  it('goes within the hour where its submit failed, and not before half of it', async () => {
    const sweeper = stage.sweeper();
    const jobId = await stage.upload();
    await stage.after(29);
    await sweeper.tick();
    await stage.after(35);
    await sweeper.tick();
    await stage.after(44);
    await sweeper.tick();
    expect(await stage.has(jobId)).toEqual(BOTH);
    await stage.after(46);
    await sweeper.tick();
    expect(await stage.has(jobId)).toEqual(NOTHING);
    expect(stage.swept).toBe(1);
  });

  it('stays as long as its job, and goes with it', async () => {
    const [waiting, removed] = [await stage.upload(), await stage.upload()];
    for (const jobId of [waiting, removed]) await stage.submit(jobId);
    await stage.sweepAt(90);
    expect([await stage.has(waiting), await stage.has(removed)]).toEqual([BOTH, BOTH]);
    await stage.jobs.control.cancel(removed);
    await stage.jobs.control.remove(removed);
    await stage.sweepAt(120);
    expect([await stage.has(waiting), await stage.has(removed)]).toEqual([BOTH, NOTHING]);
  });

  it('goes with all its rejects, however many', async () => {
    const jobId = await stage.upload();
    const state = await stage.imports.get(jobId);
    const rejects = Array.from({ length: 4_001 }, (_, line) => ({ line, column: null, reason: 'is none', row: 'x' }));
    const chunk = { bytesRead: 1, place: {}, imported: 0, updated: 0, rejects };
    const { imports, database } = stage;
    await database.transaction((transaction) => imports.advance(transaction, state ?? fail(), chunk));
    await stage.sweepAt(40);
    expect(await stage.has(jobId)).toEqual(NOTHING);
    for await (const reject of imports.rejects(jobId)) expect(reject).toBeUndefined();
  });

  it('is all that goes: files of others stay, whatever they are called', async () => {
    const ulid = '01jdvz8xq4t4y8q7m5k3n2p1r0';
    const others = [
      'orders/01jdvz8xq4t4y8q7m5k3n2p1r0/invoice.pdf',
      'uploads/import.customers/01jdvz8xq4t4y8q7m5k3n2p1r0/mine.csv',
      `uploads/jobs/import.customers/${ulid}/mine.csv`,
      `jobs/import.customers/${ulid}`,
      `jobs/${ulid}/x`,
      'jobs/import.customers/notes.txt',
      `jobs/import.customers/${ulid.slice(1)}/x`,
    ];
    await files.seed([...others, `jobs/report.generate/${ulid}/report.pdf`]);
    await stage.sweepAt(40);
    await stage.sweepAt(80);
    const left: string[] = [];
    for await (const name of files.storage.list()) left.push(name);
    expect(left.filter((name) => !name.endsWith('redis.json')).sort()).toEqual([...others].sort());
  });

  it('stays when Redis cannot be asked', async () => {
    const jobId = await stage.upload();
    const sweeper = stage.sweeper();
    await stage.after(40);
    await sweeper.tick();
    await stage.after(60);
    const { redis } = stage.jobs.link;
    await redis.call('SCRIPT', 'FLUSH');
    const answer = jest.spyOn(redis, 'callBuffer').mockRejectedValue(new Error('LOADING Redis is loading the dataset in memory'));
    await expect(sweeper.tick()).rejects.toThrow('LOADING');
    expect(await stage.has(jobId)).toEqual(BOTH);
    answer.mockRestore();
    await sweeper.tick();
    expect(await stage.has(jobId)).toEqual(NOTHING);
  });

  it('stays for a day in which Redis was emptied', async () => {
    const [jobId, sweeper] = [await stage.upload(), stage.sweeper()];
    await stage.submit(jobId);
    await stage.sweepAt(40, sweeper);
    await forgetAll(stage);
    for (const minutes of [100, 200, DAY + 80]) await stage.sweepAt(minutes, sweeper);
    expect(await stage.has(jobId)).toEqual(BOTH);
    await stage.sweepAt(DAY + 120, sweeper);
    expect(await stage.has(jobId)).toEqual(NOTHING);
  });

  it('stays when Redis is emptied between the two looks', async () => {
    const [jobId, sweeper] = [await stage.upload(), stage.sweeper()];
    await stage.after(40);
    await sweeper.tick();
    await forgetAll(stage);
    await stage.after(55);
    await sweeper.tick();
    expect(await stage.has(jobId)).toEqual(BOTH);
  });

  it('stays while workers of two installations are given the same storage by mistake', async () => {
    const other = await BelongingsStage.open(files.storage, stage.database);
    try {
      const jobId = await stage.upload();
      await stage.submit(jobId);
      const sweepers = [stage.sweeper(), other.sweeper()] as const;
      for (const minutes of [40, DAY + 40, 2 * DAY + 40, 3 * DAY + 40]) {
        await stage.sweepAt(minutes, sweepers[0]);
        await other.sweepAt(minutes, sweepers[1]);
      }
      expect(await stage.has(jobId)).toEqual(BOTH);
    } finally {
      await other.close();
    }
  });

  it('stays for a day when nobody can read which Redis it goes with', async () => {
    const jobId = await stage.upload();
    await files.storage.write(ORIGIN, spoilt());
    await stage.sweepAt(40);
    expect(await stage.has(jobId)).toEqual(BOTH);
    await stage.sweepAt(DAY + 60);
    expect(await stage.has(jobId)).toEqual(NOTHING);
  });

  it('is not taken from a submit that is under way, however long its upload took', async () => {
    const uploads = Array.from({ length: 40 }, () => newJobId(ImportCustomers));
    const sweepers = [stage.sweeper(), stage.sweeper()];
    // All ids are old enough to be swept when their files appear.
    await stage.after(45);
    let minutes = 45;
    let submitting = uploads.length;
    const submits = uploads.map(async (jobId, nth) => {
      for (let wait = 0; wait < nth * 3; wait += 1) await turn();
      await stage.upload(jobId);
      await stage.submit(jobId);
      submitting -= 1;
    });
    const sweeps = sweepers.map(async (sweeper) => {
      while (submitting > 0) {
        await sweeper.tick();
        await turn();
      }
    });
    await Promise.all([...submits, ...sweeps]);
    for (let round = 0; round < 4; round += 1) {
      await stage.after((minutes += 11));
      for (const sweeper of sweepers) await sweeper.tick();
    }
    for (const jobId of uploads) expect(await stage.has(jobId)).toEqual(BOTH);
    expect(stage.swept).toBe(0);
  });

  it('goes also where several sweep at the same moment', async () => {
    const uploads = await Promise.all(Array.from({ length: 70 }, () => stage.upload()));
    const sweepers = [stage.sweeper(), stage.sweeper(), stage.sweeper()];
    for (const [nth, sweeper] of sweepers.entries()) {
      await stage.after(40 + 5 * nth);
      await sweeper.tick();
    }
    await stage.after(70);
    await Promise.all(sweepers.map((sweeper) => sweeper.tick()));
    for (const jobId of uploads) expect(await stage.has(jobId)).toEqual(NOTHING);
  });

  it('counts once where several look one after the other before any of them removes it', async () => {
    const uploads = await Promise.all([stage.upload(), stage.upload()]);
    const sweepers = [stage.sweeper(), stage.sweeper()];
    for (const [nth, sweeper] of sweepers.entries()) {
      await stage.after(40 + 6 * nth);
      await sweeper.tick();
    }
    await stage.after(70);
    for (const sweeper of sweepers) await sweeper.tick();
    expect(stage.swept).toBe(uploads.length);
  });

  it('is looked through by one of all workers at a time', async () => {
    await stage.upload();
    const list = jest.spyOn(files.storage, 'list');
    const sweepers = [stage.sweeper(), stage.sweeper(), stage.sweeper()];
    await stage.after(10);
    const waits = await Promise.all(sweepers.map((sweeper) => sweeper.tick()));
    expect(list).toHaveBeenCalledTimes(1);
    for (const wait of waits) expect(wait).toBeGreaterThan(4 * 60_000);
  });

  it('goes though what another job has stored cannot be removed, which is tried again', async () => {
    const uploads = await Promise.all(Array.from({ length: 20 }, () => stage.upload()));
    const belongings = new Stubborn(files.storage, stage.imports);
    const [stubborn = ''] = uploads;
    belongings.kept.add(stubborn);
    const sweeper = stage.sweeper(belongings);
    await stage.sweepAt(40, sweeper);
    const left = [];
    for (const jobId of uploads) if ((await stage.has(jobId)).file) left.push(jobId);
    expect(left).toEqual([stubborn]);
    belongings.kept.clear();
    await stage.sweepAt(80, sweeper);
    expect(await stage.has(stubborn)).toEqual(NOTHING);
  });

  it('goes though more than a hundred before it cannot be removed, which is told', async () => {
    await Promise.all(Array.from({ length: 130 }, () => stage.upload()));
    const belongings = new Stubborn(files.storage, stage.imports);
    for await (const jobId of belongings.owners()) belongings.kept.add(jobId);
    const last = [...belongings.kept].at(-1) ?? fail();
    belongings.kept.delete(last);
    const logger = createLogger({ app: 'worker', level: 'silent', format: 'json' });
    const info = jest.spyOn(logger, 'info');
    const sweeper = stage.sweeper(belongings, logger);
    await stage.sweepAt(40, sweeper);
    expect(info).toHaveBeenCalledWith({ jobs: 0, failed: 128 }, expect.anything());
    await sweeper.tick();
    expect(await stage.has(last)).toEqual(NOTHING);
  });

  it('is swept by every worker from its start on', async () => {
    await stage.upload();
    const worker = await startJobsApp([ImportCustomers], [], {}, [
      StorageModule.register(files.url),
      ShopModule.register({ databaseUrl, production: true, logger: silentLogger }),
      BelongingsModule.forWorker({ belongings: StoredBelongings }),
    ]);
    try {
      await eventually(async () => {
        expect(await files.storage.stat(ORIGIN)).toBeDefined();
      });
    } finally {
      await worker.close();
    }
  });
});

async function forgetAll({ jobs: { link } }: BelongingsStage): Promise<void> {
  const keys = await link.redis.keys(`${link.keyPrefix}:*`);
  await link.redis.unlink(...keys.filter((key) => !key.endsWith(':clock')));
}

async function* spoilt(): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from('{"redis": 1'));
}

function fail(): never {
  throw new Error('There is no such import.');
}
