import { Redis } from 'ioredis';
import { JobHandler, defineJob, unchecked, type Handles, type JobContext } from '@antrean/jobs';
import { Script } from '../../libs/jobs/src/store/script.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL } from '../support/shared-redis.js';
import { rememberKeys } from '../support/remember-keys.js';
import { IN_PARTS, TestCluster } from '../support/test-cluster.js';
import { succeeded } from '../support/until-job.js';

const Gated = defineJob('gated.run', { payload: unchecked<{ readonly gated?: boolean }>() });

@JobHandler(Gated)
class GatedHandler implements Handles<typeof Gated> {
  open: () => void = () => undefined;
  private readonly opened = new Promise<void>((resolve) => {
    this.open = resolve;
  });

  async handle({ payload: { gated } }: JobContext<typeof Gated>): Promise<void> {
    if (gated === true) await this.opened;
  }
}

/** No heart beats by itself here: nothing that is found out by counts helps. */
describe('an end of a job that Redis has lost again', () => {
  let jobs: JobsApp;
  let redis: Redis;
  let cluster: TestCluster | undefined;

  afterEach(async () => {
    redis.disconnect();
    await jobs.close();
    await cluster?.stop();
  });

  /** A job that has ended, though its Redis knows no more of that. */
  async function undoAnEnd(): Promise<string> {
    const { jobId } = await jobs.queue.enqueue(Gated, { gated: true });
    await jobs.until(jobId, ({ status }) => status === 'processing');
    const undo = await rememberKeys(redis, `${jobs.link.keyPrefix}:{${Gated.type}}:*`);
    jobs.app.get(GatedHandler).open();
    await jobs.until(jobId, succeeded);
    await undo();
    expect(await jobs.status.get(jobId)).toMatchObject({ status: 'processing' });
    return jobId;
  }

  /** Resolves once a call of the script was not answered, nor carried out. */
  function failOnce(sha: string): Promise<void> {
    const { redis } = jobs.link;
    const call = redis.callBuffer.bind(redis);
    return new Promise((resolve) => {
      const spy = jest.spyOn(redis, 'callBuffer').mockImplementation(async (...args: Parameters<typeof call>) => {
        if (args[1] !== sha) return call(...args);
        spy.mockRestore();
        resolve();
        throw new Error('Command timed out');
      });
    });
  }

  async function expectAnotherRun(jobId: string): Promise<void> {
    expect(await jobs.until(jobId, succeeded)).toMatchObject({ attempt: 1, crashes: 0 });
  }

  it('lets it run once more as soon as a call of its worker has failed', async () => {
    redis = new Redis(REDIS_URL);
    jobs = await startJobsApp([Gated], [GatedHandler], { slots: 2 });
    const jobId = await undoAnEnd();
    const failed = failOnce(new Script('exchange').sha);
    await jobs.queue.enqueue(Gated, {});
    await failed;
    await expectAnotherRun(jobId);
  });

  it('lets it run once more when that was a node of a Cluster that was killed and came back', async () => {
    cluster = await TestCluster.start(IN_PARTS);
    const node = await cluster.ownerOf(await cluster.slotOf(`{${Gated.type}}`));
    redis = node.redis.duplicate();
    redis.on('error', () => undefined);
    jobs = await startJobsApp([Gated], [GatedHandler], { redisUrl: cluster.url, slots: 2 });
    const jobId = await undoAnEnd();
    await node.restart();
    await expectAnotherRun(jobId);
  });
});
