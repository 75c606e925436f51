import { IsString } from 'class-validator';
import { JobHandler, PermanentError, defineJob, fixed, type Handles, type JobContext } from '@antrean/jobs';
import { unexplainedKeys } from '../chaos/soak/keys-at-rest.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';

// Six claimers of three applications start here.
class Payload {
  @IsString()
  plan!: string;
}

const POLICY = { payload: Payload, retry: fixed('20ms') };
const One = defineJob('one.run', POLICY);
const Other = defineJob('other.run', POLICY);

async function carryOut({ payload, attempt, log, progress, step, checkpoint }: JobContext<typeof One>): Promise<void> {
  log.info('The job has begun.', { attempt });
  progress(50, 'The job is half done.');
  await step('first', () => attempt);
  await checkpoint.save({ attempt });
  if (payload.plan === 'fail') throw new PermanentError('It was asked to.');
  if (payload.plan === 'retry' && attempt === 1) throw new Error('It was asked to.');
}

@JobHandler(One)
class OneHandler implements Handles<typeof One> {
  handle(context: JobContext<typeof One>): Promise<void> {
    return carryOut(context);
  }
}

@JobHandler(Other)
class OtherHandler implements Handles<typeof Other> {
  handle(context: JobContext<typeof Other>): Promise<void> {
    return carryOut(context);
  }
}

describe('a quiet queue', () => {
  it('holds two keys for all, five a type, and what clients have taken for some time, however many workers there are', async () => {
    const keyPrefix = newKeyPrefix();
    const start = () => startJobsApp([One, Other], [OneHandler, OtherHandler], { keyPrefix, retentionMs: 0, deadRetentionMs: 0 });
    const first = await start();
    const others = [await start(), await start()];
    const { queue, control, link } = first;
    for (const definition of [One, Other]) {
      for (const plan of ['succeed', 'retry', 'fail']) {
        await queue.enqueue(definition, { plan });
        await queue.enqueue(definition, { plan }, { delayMs: 50, priority: 9 });
        await queue.enqueue(definition, { plan }, { onceKey: plan, dedupeKey: plan });
      }
      const { jobId } = await queue.enqueue(definition, { plan: 'succeed' }, { delayMs: 3_600_000, expiresInMs: 7_200_000 });
      await control.cancel(jobId);
      await control.remove(jobId);
    }
    const types = [One.type, Other.type];
    const left = await eventually(async () => {
      const keys = await link.redis.keys(`${keyPrefix}:*`);
      expect(unexplainedKeys(keys, keyPrefix, types)).toEqual([]);
      return keys;
    });
    const counted = (kind: string) => left.filter((key) => key.includes(`:${kind}:`)).length;
    expect({ once: counted('once'), dedupe: counted('dedupe') }).toEqual({ once: 6, dedupe: 6 });
    await Promise.all([first, ...others].map((worker) => worker.close()));
  });
});
