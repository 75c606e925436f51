import { IsString } from 'class-validator';
import { JobHandler, PermanentError, defineJob, isFinal, type Handles, type JobContext } from '@antrean/jobs';
import { setClockOffset } from '@antrean/jobs/testing';
import { startJobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';

class Payload {
  @IsString()
  plan!: string;
}

const Kept = defineJob('kept.run', { payload: Payload, attempts: 1 });

@JobHandler(Kept)
class KeptHandler implements Handles<typeof Kept> {
  handle({ payload }: JobContext<typeof Kept>): object {
    if (payload.plan === 'fail') throw new PermanentError('It was asked to.');
    return { plan: payload.plan };
  }
}

describe('a finished job', () => {
  it('is swept with all that belongs to it when its retention is over, failed ones by their own', async () => {
    const keyPrefix = newKeyPrefix();
    const jobs = await startJobsApp([Kept], [KeptHandler], { keyPrefix, retentionMs: 60_000, deadRetentionMs: 120_000 });
    const succeeded = await jobs.queue.enqueue(Kept, { plan: 'ok' }, { dedupeKey: 'a', dedupePolicy: 'until_result_expires' });
    const failed = await jobs.queue.enqueue(Kept, { plan: 'fail' });
    await jobs.until(succeeded.jobId, (job) => isFinal(job.status));
    await jobs.until(failed.jobId, (job) => isFinal(job.status));
    await jobs.close();

    const sweep = async (offsetMs: number) => {
      const later = await startJobsApp([Kept], [KeptHandler], {
        keyPrefix,
        retentionMs: 60_000,
        deadRetentionMs: 120_000,
        types: ['!*'],
      });
      await setClockOffset(later.link.redis, keyPrefix, Kept.type, offsetMs);
      await later.close();
      const sweeper = await startJobsApp([Kept], [KeptHandler], { keyPrefix, retentionMs: 60_000, deadRetentionMs: 120_000 });
      return sweeper;
    };
    const first = await sweep(61_000);
    await first.untilGone(succeeded.jobId);
    expect(await first.status.get(failed.jobId)).toMatchObject({ status: 'failed' });
    await first.close();
    const second = await sweep(121_000);
    await second.untilGone(failed.jobId);
    const left = await second.link.redis.keys(`${keyPrefix}:*`);
    expect(left.filter((key) => /:(job|extra|dedupe):/.test(key))).toEqual([]);
    await second.close();
  });

  it('is removed at once where nothing is to be kept', async () => {
    const keyPrefix = newKeyPrefix();
    const jobs = await startJobsApp([Kept], [KeptHandler], { keyPrefix, retentionMs: 0, deadRetentionMs: 0 });
    const held = { dedupeKey: 'a', dedupePolicy: 'until_result_expires' } as const;
    const ids = [await jobs.queue.enqueue(Kept, { plan: 'ok' }, held), await jobs.queue.enqueue(Kept, { plan: 'fail' })];
    for (const { jobId } of ids) await jobs.untilGone(jobId);
    expect((await jobs.link.redis.keys(`${keyPrefix}:*`)).filter((key) => /:(job|extra|dedupe):/.test(key))).toEqual([]);
    await jobs.close();
  });
});
