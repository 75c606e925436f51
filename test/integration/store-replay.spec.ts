import { DEDUPE_POLICIES } from '@antrean/jobs';
import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import type { Settlement } from '../../libs/jobs/src/store/exchange.js';
import { describeJob } from '../../libs/jobs/src/services/describe-job.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, JobPlan, StoredWorker } from '../support/stored-queue.js';
import { viewQueue } from '../support/queue-view.js';

const DAY = 86_400_000;
const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';
const SUCCEED: Settlement = { event: 'succeed', json: '{"done":1}' };
const BURY: Settlement = { event: 'bury', outcome: 'failed', json: ERROR_JSON };

describe('a finished job', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const run = async (settlement: Settlement): Promise<void> => {
    const { claimed } = await worker.exchange({ want: 1 });
    await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
  };
  const finished = async (settlement: Settlement, plan: JobPlan = {}): Promise<string> => {
    const [ulid = ''] = await queue.add([plan]);
    await run(settlement);
    return ulid;
  };
  const dedupeOf = (policy: (typeof DEDUPE_POLICIES)[number]) => ({
    dedupe: { policy, key: 'k' },
    dedupeTtlMs: policy === 'ttl' ? DAY : 0,
  });

  it('that is replayed runs again, at the back of its line, with all attempts before it', async () => {
    const ulid = await finished(BURY, { maxAttempts: 2, priority: 7 });
    const [next] = await queue.add([{ priority: 7 }]);
    expect(await queue.replay(ulid)).toMatchObject({
      kind: 'replayed',
      record: { status: 'queued', attempt: 0, replays: 1, finishedAt: 0, startedAt: 0, priority: 7 },
    });
    expect((await worker.exchange({ want: 9 })).claimed.map((job) => job.ulid)).toEqual([next, ulid]);
    expect((await queue.depth()).counts).toMatchObject({ failed: 0, processing: 2 });
  });

  it('that is replayed keeps the whole trail of its runs, the one that succeeded included', async () => {
    const ulid = await finished({ event: 'hand_back', delayMs: 0 });
    await run(SUCCEED);
    await queue.replay(ulid);
    await run(SUCCEED);
    await queue.replay(ulid);
    const { runs, result } = describeJob({ type: queue.type, ulid }, await queue.read(ulid), []);
    expect(runs.map(({ number, outcome }) => [number, outcome])).toEqual([
      [1, 'handed_back'],
      [2, 'succeeded'],
      [3, 'succeeded'],
    ]);
    expect(result).toBeNull();
  });

  it('that failed goes on from its checkpoint; one that succeeded, or gets another payload, begins anew', async () => {
    const noted = async (settlement: Settlement): Promise<string> => {
      const [ulid = ''] = await queue.add([{}]);
      const [job] = (await worker.exchange({ want: 1 })).claimed;
      if (job === undefined) throw new Error('Nothing was claimed.');
      await queue.note([
        { ...job, kind: 'checkpoint', json: '1' },
        { ...job, kind: 'step:one', json: '2' },
        { ...job, kind: 'progress', json: '3' },
      ]);
      await worker.exchange({ settles: [{ ...job, settlement }] });
      return ulid;
    };
    const fields = async (ulid: string): Promise<string[]> => [...(await queue.read(ulid)).extra.keys()].sort();
    const [failed, succeeded, edited] = [await noted(BURY), await noted(SUCCEED), await noted(BURY)];
    await queue.replay(failed);
    await queue.replay(succeeded);
    await queue.replay(edited, { record: queue.newJob({ payloadJson: '{"a":1}', payloadVersion: 2 }).record });
    expect(await fields(failed)).toEqual(['checkpoint', 'run:1', 'step:one']);
    expect(await fields(succeeded)).toEqual(['run:1']);
    expect(await fields(edited)).toEqual(['run:1']);
    expect((await queue.read(edited)).record).toMatchObject({ payloadJson: '{"a":1}', payloadVersion: 2 });
  });

  it('that is replayed has no deadline any more', async () => {
    const ulid = await finished(BURY, { expiresInMs: DAY });
    await queue.replay(ulid);
    await queue.moveClock(2 * DAY);
    await queue.promote();
    expect((await worker.exchange({ want: 1 })).claimed.map((job) => job.ulid)).toEqual([ulid]);
  });

  it.each(DEDUPE_POLICIES)('that is replayed takes its dedupe key again, as %s says', async (policy) => {
    const ulid = await finished(BURY, dedupeOf(policy));
    await queue.moveClock(DAY + 1);
    expect(await dedupeHolder(queue.link, queue.type, 'k')).toBeUndefined();
    await queue.replay(ulid, { dedupeTtlMs: policy === 'ttl' ? DAY : 0 });
    expect(await dedupeHolder(queue.link, queue.type, 'k')).toBe(ulid);
    await worker.exchange({ want: 1 });
    expect(await dedupeHolder(queue.link, queue.type, 'k')).toBe(policy === 'until_started' ? undefined : ulid);
  });

  it('is not replayed while another job holds its dedupe key, and its own hold is none', async () => {
    const ulid = await finished(SUCCEED, dedupeOf('until_result_expires'));
    expect(await queue.replay(ulid)).toMatchObject({ kind: 'replayed' });
    await run(BURY);
    const [holder = ''] = await queue.add([dedupeOf('until_finished')]);
    expect(await queue.replay(ulid)).toMatchObject({ kind: 'duplicate', holder, header: { status: 'queued' } });
    expect((await queue.read(ulid)).record.status).toBe('failed');
  });

  it('is replayed once: one that waits or runs is not finished, and one that is not there is unknown', async () => {
    const ulid = await finished(BURY);
    expect(await queue.replay(ulid)).toMatchObject({ kind: 'replayed' });
    expect(await queue.replay(ulid)).toMatchObject({ kind: 'not_finished', record: { status: 'queued' } });
    await worker.exchange({ want: 1 });
    expect(await queue.replay(ulid)).toMatchObject({ kind: 'not_finished', record: { status: 'processing' } });
    expect(await queue.replay(queue.newJob().ulid)).toEqual({ kind: 'unknown' });
  });

  it('that is cancelled while it waits after a replay leaves its new place, not its old one, as a ghost', async () => {
    const [first = ''] = await queue.add([{}, {}]);
    await queue.cancel([first]);
    await queue.replay(first);
    await queue.cancel([first]);
    await queue.replay(first);
    expect((await queue.depth()).counts).toMatchObject({ queued: 2, cancelled: 0 });
    expect((await worker.exchange({ want: 9 })).claimed.at(-1)?.ulid).toBe(first);
    expect(await queue.redis.exists(queue.keys.ghosts)).toBe(0);
  });

  it('that is removed leaves nothing behind and frees its dedupe key, whatever the policy', async () => {
    for (const policy of DEDUPE_POLICIES) {
      const [ulid = ''] = await queue.add([dedupeOf(policy)]);
      const { claimed } = await worker.exchange({ want: 1 });
      await queue.note(claimed.flatMap((job) => (['log', 'checkpoint'] as const).map((kind) => ({ ...job, kind, json: '1' }))));
      await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement: SUCCEED })) });
      expect(await queue.remove([ulid])).toEqual(['succeeded']);
      const { jobs, remains } = await viewQueue(queue, [ulid]);
      expect([jobs.size, remains]).toEqual([0, []]);
      expect(await dedupeHolder(queue.link, queue.type, 'k')).toBeUndefined();
    }
    expect((await queue.depth()).counts.succeeded).toBe(0);
  });

  it('is the only kind that is removed', async () => {
    const [queued = '', scheduled = ''] = await queue.add([{}, { when: { delayMs: DAY } }]);
    expect(await queue.remove([queued, scheduled, queue.newJob().ulid])).toEqual(['queued', 'scheduled', undefined]);
    await worker.exchange({ want: 1 });
    expect(await queue.remove([queued])).toEqual(['processing']);
    expect((await queue.read(queued)).record.status).toBe('processing');
    expect((await queue.depth()).counts).toMatchObject({ processing: 1, scheduled: 1 });
  });
});
