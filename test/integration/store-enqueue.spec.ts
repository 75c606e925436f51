import { DEDUPE_POLICIES } from '@antrean/jobs';
import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue } from '../support/stored-queue.js';

const DAY = 86_400_000;

describe('an enqueue', () => {
  let queue: StoredQueue;

  withFreshQueue((fresh) => {
    queue = fresh;
  });

  it('that is sent again is one job, whatever became of it since', async () => {
    const job = queue.newJob();
    expect(await queue.enqueue([job])).toMatchObject([{ kind: 'accepted', status: 'queued' }]);
    expect(await queue.enqueue([job])).toMatchObject([{ kind: 'known', header: { status: 'queued' } }]);
    const worker = queue.newWorker();
    const [claimed] = (await worker.exchange({ want: 9 })).claimed;
    expect(await queue.enqueue([job])).toMatchObject([{ kind: 'known', header: { status: 'processing' } }]);
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    await worker.exchange({ settles: [{ ...claimed, settlement: { event: 'succeed', json: '' } }] });
    expect(await queue.enqueue([job])).toMatchObject([{ kind: 'known', header: { status: 'succeeded' } }]);
    expect((await queue.depth()).counts).toMatchObject({ queued: 0, processing: 0, succeeded: 1 });
  });

  it('that is sent again with its dedupe key is known, not a duplicate of itself', async () => {
    const job = queue.newJob({ dedupe: { policy: 'ttl', key: 'k' }, dedupeTtlMs: DAY });
    await queue.enqueue([job]);
    expect(await queue.enqueue([job])).toMatchObject([{ kind: 'known' }]);
    expect(await queue.enqueue([queue.newJob({ dedupe: { policy: 'ttl', key: 'k' } })])).toMatchObject([
      { kind: 'duplicate', ulid: job.ulid },
    ]);
  });

  it('that is sent again in part adds only what is missing, in its order', async () => {
    const jobs = Array.from({ length: 6 }, () => queue.newJob());
    await queue.enqueue(jobs.slice(0, 3));
    expect((await queue.enqueue(jobs)).map(({ kind }) => kind)).toEqual([
      'known',
      'known',
      'known',
      'accepted',
      'accepted',
      'accepted',
    ]);
    const { claimed } = await queue.newWorker().exchange({ want: 9 });
    expect(claimed.map(({ ulid }) => ulid)).toEqual(jobs.map(({ ulid }) => ulid));
  });

  it.each(DEDUPE_POLICIES)('takes a dedupe key of 255 characters of four bytes each, under %s', async (policy) => {
    const key = '😀'.repeat(255);
    const plan = { dedupe: { policy, key }, dedupeTtlMs: policy === 'ttl' ? DAY : 0 };
    const [ulid = ''] = await queue.add([plan]);
    expect((await queue.read(ulid)).record.dedupeKey).toBe(key);
    expect(await dedupeHolder(queue.link, queue.type, key)).toBe(ulid);
    expect(await queue.enqueue([queue.newJob(plan)])).toMatchObject([{ kind: 'duplicate', ulid, header: { status: 'queued' } }]);
    const other = { ...plan, dedupe: { policy, key: `${'😀'.repeat(254)}😁` } };
    expect(await queue.enqueue([queue.newJob(other)])).toMatchObject([{ kind: 'accepted' }]);
    // The key stands in front of the payload in the record; neither may run into the other.
    const [claimed] = (await queue.newWorker().exchange({ want: 1 })).claimed;
    expect(claimed?.record).toMatchObject({ dedupeKey: key, payloadJson: '{}' });
  });

  it('finds duplicates among the jobs of its own call', async () => {
    const plan = { dedupe: { policy: 'until_finished', key: 'same' } } as const;
    const jobs = [queue.newJob(plan), queue.newJob(), queue.newJob(plan)];
    expect(await queue.enqueue(jobs)).toMatchObject([
      { kind: 'accepted' },
      { kind: 'accepted' },
      { kind: 'duplicate', ulid: jobs[0]?.ulid, header: { status: 'queued' } },
    ]);
    expect((await queue.depth()).counts.queued).toBe(2);
  });

  it('numbers the jobs of a type in the order they were accepted', async () => {
    const ulids = [...(await queue.add([{}, {}])), ...(await queue.add([{ when: { delayMs: DAY } }, { priority: 0 }]))];
    const snapshots = await Promise.all(ulids.map((ulid) => queue.read(ulid)));
    expect(snapshots.map(({ record }) => record.seq)).toEqual([1, 2, 3, 4]);
  });

  it('runs a job of the past now, and one of the far future not at all', async () => {
    const past = queue.newJob({ when: { atMs: 1 } });
    const soon = queue.newJob({ when: { atMs: Date.now() + DAY } });
    const never = queue.newJob({ when: { atMs: Date.now() + 367 * DAY }, dedupe: { policy: 'ttl', key: 'k' }, dedupeTtlMs: DAY });
    expect(await queue.enqueue([past, soon, never])).toMatchObject([
      { kind: 'accepted', status: 'queued' },
      { kind: 'accepted', status: 'scheduled' },
      { kind: 'too_late' },
    ]);
    expect(await queue.find(never.ulid)).toBeUndefined();
    expect(await dedupeHolder(queue.link, queue.type, 'k')).toBeUndefined();
    const { record } = await queue.read(past.ulid);
    expect(record.dueAt).toBe(record.createdAt);
  });

  it('keeps payload and facts to the byte', async () => {
    const payloadJson = '{"a" : "\\u0000\\ud800 } € 😀", "b":1e400, "b":12345678901234567890}';
    const facts = { requestId: 'r', userId: '😀', tags: ['a b', '{}'], metadata: { 'k\n': '\u0001' } };
    const [ulid = ''] = await queue.add([{ payloadJson, facts }]);
    expect((await queue.read(ulid)).record).toMatchObject({ payloadJson, facts });
    const [claimed] = (await queue.newWorker().exchange({ want: 1 })).claimed;
    expect(claimed?.record).toMatchObject({ payloadJson, facts });
  });
});
