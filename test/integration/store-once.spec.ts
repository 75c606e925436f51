import { onceAnswer } from '../../libs/jobs/src/store/once-answer.js';
import type { Once } from '../../libs/jobs/src/store/once.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, JobPlan } from '../support/stored-queue.js';

const HOUR = 3_600_000;
const BODY = 'ab'.repeat(16);
const OTHER_BODY = 'cd'.repeat(16);

describe('a once key', () => {
  let queue: StoredQueue;

  withFreshQueue((fresh) => {
    queue = fresh;
  });

  const once = (hash = BODY): Once => ({ key: 'order 1 €', hash, ttlMs: HOUR });
  const submit = async (plan: JobPlan) => {
    const job = queue.newJob(plan);
    const [answer] = await queue.enqueue([job]);
    return { ulid: job.ulid, answer };
  };
  /** Runs all jobs to their success and removes them. */
  const finishAndRemove = async (): Promise<void> => {
    const worker = queue.newWorker();
    const { claimed } = await worker.exchange({ want: 9 });
    await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement: { event: 'succeed', json: '' } })) });
    await queue.remove(claimed.map(({ ulid }) => ulid));
  };

  it('gives the same submit the same answer, also after its job finished and was removed', async () => {
    const first = await submit({ once: once(), when: undefined });
    const { record } = await queue.read(first.ulid);
    const expected = {
      kind: 'once',
      answer: {
        accepted: true,
        ulid: first.ulid,
        job: { status: 'queued', createdAt: record.createdAt, traceId: record.trace.traceId },
      },
    };
    expect(first.answer).toMatchObject({ kind: 'accepted' });
    expect((await submit({ once: once() })).answer).toEqual(expected);
    await finishAndRemove();
    expect((await submit({ once: once() })).answer).toEqual(expected);
    expect((await queue.depth()).counts.queued).toBe(0);
  });

  it('refuses another body and names the job', async () => {
    const first = await submit({ once: once() });
    expect((await submit({ once: once(OTHER_BODY) })).answer).toEqual({ kind: 'once_mismatch', ulid: first.ulid });
  });

  it('tells what it would be answered, without a submit', async () => {
    const look = (hash?: string) => onceAnswer(queue.link, queue.type, once(hash));
    expect(await look()).toBeUndefined();
    const first = await submit({ once: once() });
    expect(await look()).toEqual((await submit({ once: once() })).answer);
    expect(await look(OTHER_BODY)).toEqual({ kind: 'once_mismatch', ulid: first.ulid });
    await queue.moveClock(HOUR + 1);
    expect(await look()).toBeUndefined();
  });

  it('is looked at before the job id and the dedupe key', async () => {
    const dedupe = { policy: 'until_finished', key: 'k' } as const;
    const job = queue.newJob({ once: once(), dedupe });
    await queue.enqueue([job]);
    expect(await queue.enqueue([job])).toMatchObject([{ kind: 'once', answer: { ulid: job.ulid } }]);
    expect((await submit({ once: once(), dedupe })).answer).toMatchObject({ kind: 'once', answer: { ulid: job.ulid } });
  });

  it('repeats the answer that a duplicate got, when the key is free again too', async () => {
    const dedupe = { policy: 'until_finished', key: 'k' } as const;
    const [holder = ''] = await queue.add([{ dedupe }]);
    expect((await submit({ once: once(), dedupe })).answer).toMatchObject({ kind: 'duplicate', ulid: holder });
    await finishAndRemove();
    expect((await submit({ once: once(), dedupe })).answer).toMatchObject({
      kind: 'once',
      answer: { accepted: false, ulid: holder, job: { status: 'queued' } },
    });
  });

  it('counts among the jobs of one call', async () => {
    const jobs = [queue.newJob({ once: once() }), queue.newJob({ once: once() }), queue.newJob({ once: once(OTHER_BODY) })];
    expect(await queue.enqueue(jobs)).toMatchObject([
      { kind: 'accepted' },
      { kind: 'once', answer: { ulid: jobs[0]?.ulid } },
      { kind: 'once_mismatch', ulid: jobs[0]?.ulid },
    ]);
  });

  it('is not used up by a submit that was refused for what it is', async () => {
    expect((await submit({ once: once(), when: { delayMs: HOUR }, expiresInMs: 1 })).answer).toEqual({
      kind: 'expires_before_run',
    });
    expect((await submit({ once: once() })).answer).toMatchObject({ kind: 'accepted' });
  });

  it('is free again after its time', async () => {
    await submit({ once: once() });
    await queue.moveClock(HOUR - 1_000);
    expect((await submit({ once: once() })).answer).toMatchObject({ kind: 'once' });
    await queue.moveClock(HOUR + 1);
    expect((await submit({ once: once(OTHER_BODY) })).answer).toMatchObject({ kind: 'accepted' });
  });
});
