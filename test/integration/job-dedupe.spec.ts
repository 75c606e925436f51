import { IsString } from 'class-validator';
import {
  DedupeService,
  DuplicateJobError,
  JobHandler,
  PermanentError,
  defineJob,
  isFinal,
  unchecked,
  type EnqueueOptions,
  type Handles,
  type JobContext,
} from '@antrean/jobs';
import { setClockOffset } from '@antrean/jobs/testing';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';

class Payload {
  @IsString()
  key!: string;
}

const Unique = defineJob('unique.run', { payload: Payload, dedupe: { key: ({ key }) => key, ttl: '10m' }, attempts: 1 });

/** Has a key only where its submit gives it one. */
const Loose = defineJob('loose.run', { payload: unchecked<object>() });

@JobHandler(Unique)
class UniqueHandler implements Handles<typeof Unique> {
  handle({ payload }: JobContext<typeof Unique>): void {
    if (payload.key.startsWith('fail')) throw new PermanentError('It was asked to.');
  }
}

const TEN_MINUTES = 600_000;

describe('a dedupe key', () => {
  let keyPrefix: string;
  /** Nothing runs here: jobs stay as they were submitted. */
  let idle: JobsApp;
  let busy: JobsApp | undefined;

  beforeEach(async () => {
    keyPrefix = newKeyPrefix();
    idle = await startJobsApp([Unique, Loose], [UniqueHandler], { keyPrefix, types: ['!*'] });
  });

  afterEach(async () => {
    await idle.close();
    await busy?.close();
    busy = undefined;
  });

  const submit = (key: string, options = {}) => idle.queue.enqueue(Unique, { key }, options);

  const finish = async (jobId: string) => {
    busy ??= await startJobsApp([Unique], [UniqueHandler], { keyPrefix });
    return busy.until(jobId, (job) => isFinal(job.status));
  };

  it('must be there when a submit says how long it is held', async () => {
    const detail = 'is for a dedupe key, and this job has none: give it one, or leave this out';
    const submitLoose = (options: EnqueueOptions) => idle.queue.enqueue(Loose, {}, options);
    await expect(submitLoose({ dedupeTtlMs: 60_000, dedupePolicy: 'ttl' })).rejects.toMatchObject({
      code: 'invalid_options',
      violations: [
        { pointer: '/dedupeTtlMs', detail },
        { pointer: '/dedupePolicy', detail },
      ],
    });
    expect((await submitLoose({ dedupeTtlMs: 60_000, dedupeKey: 'k' })).deduplicated).toBe(false);
    expect((await submit('made', { dedupeTtlMs: 60_000 })).deduplicated).toBe(false);
    expect((await submitLoose({ onDuplicate: 'existing' })).deduplicated).toBe(false);
  });

  it('lets one of many equal submits through and names it to the others', async () => {
    const answers = await Promise.allSettled(Array.from({ length: 500 }, () => submit('same')));
    const accepted = answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value.jobId] : []));
    const holders = answers.flatMap((answer) =>
      answer.status === 'rejected' && answer.reason instanceof DuplicateJobError ? [answer.reason.jobId] : [],
    );
    expect(accepted).toHaveLength(1);
    expect(holders).toEqual(Array.from({ length: 499 }, () => accepted[0]));
    expect((await idle.status.depth(Unique.type)).counts.queued).toBe(1);
  });

  it('answers with the holder where the submit says so', async () => {
    const first = await submit('same');
    expect(await submit('same', { onDuplicate: 'existing' })).toEqual({ ...first, deduplicated: true });
  });

  it('is held for its time, also past success, and is free after it', async () => {
    const { jobId } = await submit('same');
    expect((await finish(jobId)).status).toBe('succeeded');
    await expect(submit('same')).rejects.toMatchObject({ jobId, status: 'succeeded' });
    await setClockOffset(idle.link.redis, keyPrefix, Unique.type, TEN_MINUTES);
    expect((await submit('same')).jobId).not.toBe(jobId);
  });

  it('is free once the job has started, under until_started', async () => {
    const { jobId } = await submit('same', { dedupePolicy: 'until_started' });
    await expect(submit('same', { dedupePolicy: 'until_started' })).rejects.toMatchObject({ jobId });
    await finish(jobId);
    expect((await submit('same', { dedupePolicy: 'until_started' })).jobId).not.toBe(jobId);
  });

  it('is free once the job is final, under until_finished', async () => {
    const { jobId } = await submit('same', { dedupePolicy: 'until_finished' });
    await expect(submit('same')).rejects.toMatchObject({ jobId });
    await finish(jobId);
    expect((await submit('same')).deduplicated).toBe(false);
  });

  it('is held until the result expires and freed at once by a failure, under until_result_expires', async () => {
    const kept = await submit('kept', { dedupePolicy: 'until_result_expires' });
    const failed = await submit('fail', { dedupePolicy: 'until_result_expires' });
    await finish(kept.jobId);
    expect((await finish(failed.jobId)).status).toBe('failed');
    await expect(submit('kept')).rejects.toMatchObject({ jobId: kept.jobId });
    expect((await submit('fail')).deduplicated).toBe(false);
  });

  it('that nobody stands behind never blocks', async () => {
    await idle.link.redis.set(idle.link.keys(Unique.type).dedupe('stray'), '0 01HZZZZZZZZZZZZZZZZZZZZZZZ');
    expect((await submit('stray')).deduplicated).toBe(false);
  });

  it('can be asked for its holder', async () => {
    const dedupe = idle.app.get(DedupeService);
    expect(await dedupe.holder(Unique.type, 'same')).toBeUndefined();
    const { jobId } = await submit('same');
    expect(await dedupe.holder(Unique.type, 'same')).toBe(jobId);
  });

  it('may hold any characters', async () => {
    const { jobId } = await submit('} {a:*\n€😀');
    await expect(submit('} {a:*\n€😀')).rejects.toMatchObject({ jobId });
  });
});
