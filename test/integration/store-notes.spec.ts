import type { Claimed } from '../../libs/jobs/src/store/exchange.js';
import type { Note } from '../../libs/jobs/src/store/note.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import { LEASE_MS, type StoredQueue, type StoredWorker } from '../support/stored-queue.js';
import { viewQueue } from '../support/queue-view.js';

const KINDS: readonly Note['kind'][] = ['progress', 'checkpoint', 'log', 'step:one'];

describe('what a handler tells of its job', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const claimOne = async (): Promise<Claimed> => {
    const [job] = (await worker.exchange({ want: 1 })).claimed;
    if (job === undefined) throw new Error('Nothing was claimed.');
    return job;
  };
  const notesOf = (job: Claimed): Note[] => KINDS.map((kind) => ({ ...job, kind, json: `"${kind} €"` }));

  it('is kept to the byte, with the time where that is told, and is one change of the job a call', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const job = await claimOne();
    const before = (await queue.read(ulid)).record.revision;
    expect(await queue.note(notesOf(job))).toEqual([true, true, true, true]);
    const { extra, record, now } = await queue.read(ulid);
    expect(Object.fromEntries(extra)).toEqual({
      checkpoint: '"checkpoint €"',
      'step:one': '"step:one €"',
      progress: expect.stringMatching(/^\d{13} "progress €"$/) as string,
    });
    expect((await viewQueue(queue, [ulid])).jobs.get(ulid)?.log).toEqual([expect.stringMatching(/^\d{13} "log €"$/)]);
    expect(Number(extra.get('progress')?.split(' ')[0])).toBeLessThanOrEqual(now);
    expect(record.revision).toBe(before + 1);
  });

  it('of several jobs and runs counts for each by its own token', async () => {
    await queue.add([{}, {}]);
    const [first, second] = [await claimOne(), await claimOne()];
    expect(
      await queue.note([
        { ...first, kind: 'checkpoint', json: '1' },
        { ...second, token: first.token, kind: 'checkpoint', json: '2' },
        { ...second, kind: 'checkpoint', json: '3' },
      ]),
    ).toEqual([true, false, true]);
    expect((await queue.read(second.ulid)).extra.get('checkpoint')).toBe('3');
  });

  it('changes nothing after its run was settled, or taken away, or its job removed', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const settled = await claimOne();
    await worker.exchange({ settles: [{ ...settled, settlement: { event: 'hand_back', delayMs: 0 } }] });
    const taken = await claimOne();
    await queue.moveClock(LEASE_MS + 1);
    await queue.reap();
    const before = await viewQueue(queue, [ulid]);
    expect(await queue.note([...notesOf(settled), ...notesOf(taken)])).toEqual(Array(8).fill(false));
    expect((await viewQueue(queue, [ulid])).jobs).toEqual(before.jobs);

    const last = await claimOne();
    await worker.exchange({ keepFinished: false, settles: [{ ...last, settlement: { event: 'succeed', json: '' } }] });
    expect(await queue.note(notesOf(last))).toEqual([false, false, false, false]);
    const after = await viewQueue(queue, [ulid]);
    expect([after.jobs.size, after.remains]).toEqual([0, []]);
  });

  it('is still there for the next run', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const job = await claimOne();
    await queue.note(notesOf(job));
    await worker.exchange({ settles: [{ ...job, settlement: { event: 'hand_back', delayMs: 0 } }] });
    await claimOne();
    expect([...(await queue.read(ulid)).extra.keys()].sort()).toEqual(['checkpoint', 'progress', 'run:1', 'step:one']);
  });

  it('in its log is the latest 200 lines', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const job = await claimOne();
    for (let call = 0; call < 3; call += 1) {
      await queue.note(
        Array.from({ length: 90 }, (_, index) => ({ ...job, kind: 'log' as const, json: String(call * 90 + index) })),
      );
    }
    const log = (await viewQueue(queue, [ulid])).jobs.get(ulid)?.log ?? [];
    expect(log.map((line) => Number(line.split(' ')[1]))).toEqual(Array.from({ length: 200 }, (_, index) => index + 70));
  });

  it.each(['log', 'extra'] as const)(
    'is written of no job in a call in which one is spoilt, so that each can be told anew: %s',
    async (what) => {
      await queue.add([{}, {}]);
      const jobs = [await claimOne(), await claimOne()];
      const spoilt = jobs[1]?.ulid ?? '';
      await queue.redis.set(queue.keys[what](spoilt), 'spoilt');
      await expect(queue.note(jobs.flatMap(notesOf))).rejects.toThrow('WRONGTYPE');
      expect(await queue.redis.exists(queue.keys.log(jobs[0]?.ulid ?? ''), queue.keys.extra(jobs[0]?.ulid ?? ''))).toBe(0);
      await queue.redis.del(queue.keys[what](spoilt));
    },
  );

  it('as a checkpoint makes the crashes before it forgotten, if it is another than the last one', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const crashes = async (): Promise<number[]> => {
      const { record } = await queue.read(ulid);
      return [record.crashes, record.crashesInAll];
    };
    const crashAfter = async (json: string, times: number): Promise<void> => {
      await queue.note([{ ...(await claimOne()), kind: 'checkpoint', json }]);
      await queue.moveClock(times * (LEASE_MS + 1));
      await queue.reap({ maxCrashes: 5 });
    };
    await crashAfter('1', 1);
    expect(await crashes()).toEqual([1, 1]);
    await crashAfter('1', 2);
    expect(await crashes()).toEqual([2, 2]);
    await crashAfter('2', 3);
    expect(await crashes()).toEqual([1, 3]);
  });
});
