import { once } from 'node:events';
import { Auditor } from '../../libs/jobs/src/maintenance/auditor.js';
import { EnqueueBatcher } from '../../libs/jobs/src/services/enqueue-batcher.js';
import { Rouser } from '../../libs/jobs/src/services/rouser.js';
import { audit } from '../../libs/jobs/src/store/audit.js';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { ReplicaGate } from '../../libs/jobs/src/store/replicated.js';
import { JobJournal } from '../../libs/jobs/src/telemetry/job-journal.js';
import { silentLogger } from '../support/shared-redis.js';
import { LEASE_MS, StoredQueue, type StoredWorker } from '../support/stored-queue.js';

describe('an audit', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  beforeEach(async () => {
    queue = (await StoredQueue.open()).another();
    worker = queue.newWorker();
  });

  afterEach(async () => {
    await queue.close();
  });

  const auditAll = async (ulids: readonly string[]) => (await audit(queue.link, queue.type, ulids)).relisted;

  it('finds nothing where every job stands in its place', async () => {
    const ulids = await queue.add([{}, {}, {}, { when: { delayMs: 60_000 } }]);
    const { claimed } = await worker.exchange({ want: 2 });
    const [first] = claimed;
    if (first === undefined) throw new Error('Nothing was claimed.');
    await worker.exchange({ settles: [{ ...first, settlement: { event: 'succeed', json: '' } }] });
    const before = await queue.depth();
    expect(await auditAll(ulids)).toEqual([]);
    expect((await queue.depth()).counts).toEqual(before.counts);
  });

  it('finds nothing where a queued job stands elsewhere than where it was submitted to', async () => {
    const [suspect = '', replayed = '', parked = ''] = await queue.add([{}, {}, { payloadVersion: 2 }]);
    await queue.cancel([replayed]);
    await worker.exchange({ want: 9 });
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap({ maxCrashes: 2 });
    await queue.replay(replayed);
    const { keys, redis } = queue;
    const lengths = [redis.llen(keys.suspects), redis.llen(keys.ready[5] ?? ''), redis.zcard(keys.parked)];
    expect(await Promise.all(lengths)).toEqual([1, 1, 1]);
    expect(await auditAll([replayed, suspect, parked])).toEqual([]);
  });

  it('gives a waiting job its deadline back', async () => {
    const ulids = await queue.add([{ expiresInMs: 1_000 }, { expiresInMs: 1_000, when: { delayMs: 500 } }]);
    await queue.redis.del(queue.keys.expiring);
    await auditAll(ulids);
    await queue.moveClock(1_000);
    expect((await queue.promote()).moved.map(({ record }) => record.status)).toEqual(['expired', 'expired']);
  });

  it('lists a queued job again that stands in no line, and it is claimed', async () => {
    const ulids = await queue.add([{}, {}, {}]);
    const lost = ulids[1] ?? '';
    await queue.redis.lrem(queue.keys.ready[5] ?? '', 1, lost);
    expect(await auditAll(ulids)).toEqual([lost]);
    expect(await auditAll(ulids)).toEqual([]);
    const { claimed } = await worker.exchange({ want: 10 });
    expect(claimed.map(({ ulid }) => ulid)).toEqual([ulids[0], ulids[2], lost]);
  });

  it('lists scheduled, retrying and finished jobs again under their own times', async () => {
    const [scheduled = '', ...others] = await queue.add([{ when: { delayMs: 60_000 } }, {}, {}]);
    const { claimed } = await worker.exchange({ want: 2 });
    const [retried, done] = claimed;
    if (retried === undefined || done === undefined) throw new Error('Too little was claimed.');
    const settles = [
      { ...retried, settlement: { event: 'retry', outcome: 'failed', delayMs: 5_000, json: '{}' } as const },
      { ...done, settlement: { event: 'succeed', json: '' } as const },
    ];
    await worker.exchange({ settles });
    const { keys, redis } = queue;
    const scores = () =>
      Promise.all([
        redis.zscore(keys.scheduled, scheduled),
        redis.zscore(keys.retrying, retried.ulid),
        redis.zscore(keys.succeeded, done.ulid),
      ]);
    const before = await scores();
    await redis.del(keys.scheduled, keys.retrying, keys.succeeded);
    expect([...(await auditAll([scheduled, ...others]))].sort()).toEqual([scheduled, ...others].sort());
    expect(await scores()).toEqual(before);
  });

  it('puts a running job back under its worker, whose lease is over at once if it had none', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await worker.exchange({ want: 1 });
    await queue.redis.del(queue.keys.running, queue.keys.leases);
    expect(await auditAll([ulid])).toEqual([ulid]);
    const { workerNumber, jobs } = await queue.reap();
    expect(workerNumber).toBe(worker.number);
    expect(jobs.map((job) => [job.ulid, job.record.status])).toEqual([[ulid, 'queued']]);
  });

  it.each(['registered', 'not registered'])(
    'takes no run for timed out whose worker lost its lease, since nobody knows when that was last heard of: %s',
    async (registration) => {
      const [ulid = ''] = await queue.add([{ timeoutMs: 1_000 }]);
      await worker.exchange({ want: 1 });
      await queue.redis.del(queue.keys.running, queue.keys.leases);
      if (registration === 'not registered') await queue.redis.del(queue.keys.workers);
      await queue.moveClock(10 * LEASE_MS);
      await auditAll([ulid]);
      const { timedOut, jobs } = await queue.reap();
      expect([timedOut, jobs.map((job) => [job.ulid, job.record.crashes])]).toEqual([[], [[ulid, 1]]]);
    },
  );

  it('lets the heartbeat of a worker revive the lease it found lost', async () => {
    const [ulid = ''] = await queue.add([{}]);
    await worker.exchange({ want: 1 });
    await queue.redis.del(queue.keys.running, queue.keys.leases);
    await auditAll([ulid]);
    expect(await heartbeat(queue.link, queue.type, worker.identity.number, LEASE_MS)).toMatchObject({ held: 1 });
    expect((await queue.reap()).workerNumber).toBeUndefined();
  });

  it('passes over ids of which there is no job', async () => {
    const audited = await audit(queue.link, queue.type, ['01JDVZ8XQ4T4Y8Q7M5K3N2P1R0']);
    expect(audited).toEqual({ relisted: [], spoilt: [], woke: false });
  });

  it.each(['short', 'no string'])('tells of a job whose record is none, and lists others again: %s', async (what) => {
    const ulids = await queue.add([{}, {}]);
    const [spoilt = '', lost = ''] = ulids;
    const key = queue.keys.job(spoilt);
    await queue.redis.del(queue.keys.ready[5] ?? '', key);
    if (what === 'short') await queue.redis.set(key, 'xx');
    else await queue.redis.hset(key, 'a', 'hash');
    const said: unknown[] = [];
    const error = (fields: unknown) => said.push(fields);
    const auditor = auditorOf([queue.type], Object.assign(Object.create(silentLogger) as typeof silentLogger, { error }));
    while ((await auditor.auditPage()) < 60_000);
    expect(said).toEqual([{ job_id: `${queue.type}_${spoilt}`, job_type: queue.type, key }]);
    expect((await worker.exchange({ want: 9 })).claimed.map(({ ulid }) => ulid)).toEqual([lost]);
  });

  const auditorOf = (types: readonly string[], logger = silentLogger) => {
    const rouser = new Rouser(queue.link, { logger: silentLogger });
    return new Auditor(new Set(types), {
      link: queue.link,
      worker: worker.identity,
      // It uses nothing else of a worker's options.
      options: { logger } as ConstructorParameters<typeof Auditor>[1]['options'],
      journal: Object.create(JobJournal.prototype) as JobJournal,
      rouser,
      batcher: new EnqueueBatcher(queue.link, rouser, new ReplicaGate(queue.link), {}),
    });
  };

  it('goes on where it was when Redis was away between two pages, or in the middle of one', async () => {
    const ulids = await queue.add(Array.from({ length: 700 }, () => ({})));
    await queue.redis.del(queue.keys.ready[5] ?? '');
    let broken = false;
    const breaksOnce = () => {
      if (broken) return;
      broken = true;
      throw new Error('Connection is closed.');
    };
    // It tells of the first job that it lists again, and by then has dealt with ten of its page at most.
    const auditor = auditorOf(
      [queue.type],
      Object.assign(Object.create(silentLogger) as typeof silentLogger, { warn: breaksOnce }),
    );
    const untilBroken = async () => {
      while (!broken) await auditor.auditPage();
    };
    await expect(untilBroken()).rejects.toThrow('Connection is closed.');
    await auditor.auditPage();
    const back = once(queue.redis, 'ready');
    queue.redis.disconnect(true);
    await expect(auditor.auditPage()).rejects.toThrow();
    await back;
    while ((await auditor.auditPage()) < 60_000);
    expect((await queue.depth()).counts.queued).toBe(ulids.length);
  });

  it('goes through the jobs of a type though another is spoilt', async () => {
    const ulids = await queue.add(Array.from({ length: 300 }, () => ({})));
    const other = queue.another();
    await other.add([{}]);
    await queue.redis.del(queue.keys.ready[5] ?? '');
    await queue.redis.set(other.keys.leases, 'spoilt');
    const auditor = auditorOf([queue.type, other.type]);
    while ((await auditor.auditPage()) < 60_000);
    expect((await queue.depth()).counts.queued).toBe(ulids.length);
  });

  it('goes through all jobs of its types in pages, and rests when it is through', async () => {
    const ulids = await queue.add(Array.from({ length: 700 }, () => ({})));
    const other = queue.another();
    const [foreign = ''] = await other.add([{}]);
    await queue.redis.del(queue.keys.ready[5] ?? '', other.keys.ready[5] ?? '');
    const auditor = auditorOf([queue.type]);
    let pages = 0;
    while ((await auditor.auditPage()) < 60_000) pages += 1;
    expect(pages).toBeGreaterThan(1);
    expect((await queue.depth()).counts.queued).toBe(ulids.length);
    expect(await queue.redis.lrange(other.keys.ready[5] ?? '', 0, -1)).toEqual([]);
    expect(await other.find(foreign)).toBeDefined();
  });
});
