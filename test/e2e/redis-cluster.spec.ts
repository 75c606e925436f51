import { RunAct } from '../fixtures/engine/act.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { expectUnavailable, untilAccepted } from '../support/away-answer.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { PathHandler, PathJob } from '../support/path-job.js';
import { SubmitLoad } from '../support/submit-load.js';
import { TestCluster } from '../support/test-cluster.js';
import { succeeded } from '../support/until-job.js';
import { itWalksTheWholePath } from '../support/walk-path.js';

jest.setTimeout(120_000);

describe('on a Cluster', () => {
  let redis: TestCluster;
  let app: JobsApp;
  let api: TestApi;

  beforeAll(async () => {
    redis = await TestCluster.start();
    app = await startJobsApp([PathJob, RunAct], [PathHandler], { redisUrl: redis.url, types: [PathJob.type] });
    api = await startTestApi({ REDIS_URL: redis.url });
  });

  afterAll(async () => {
    await Promise.all([app.close(), api.close()]);
    await redis.stop();
  });

  const slotOf = (type: string): Promise<number> => redis.slotOf(app.link.keys(type).clock);

  itWalksTheWholePath(
    () => app,
    () => redis.url,
  );

  it('a node that dies under load and comes back with its data loses nothing', async () => {
    const node = await redis.ownerOf(await redis.slotOf('{email.send}'));
    await untilAccepted(api);
    const load = await SubmitLoad.during(app, async ({ more }) => {
      await more(200);
      await node.kill();
      await expectUnavailable(api);
      await node.restart();
      await redis.untilOk();
      await untilAccepted(api);
      await more(200);
    });
    expect(await load.lost()).toEqual([]);
  });

  it('the node of the jobs themselves dies likewise', async () => {
    const node = await redis.ownerOf(await slotOf(PathJob.type));
    const load = await SubmitLoad.during(app, async ({ more }) => {
      await more(200);
      await node.kill();
      await node.restart();
      await redis.untilOk();
      await more(200);
    });
    expect(await load.lost()).toEqual([]);
    await expectWakeUp();
  });

  it('a slot that moves under load loses nothing, and no run crashes over it', async () => {
    const load = await SubmitLoad.during(app, async ({ more }) => {
      await more(500);
      const move = await redis.beginMove(await slotOf(PathJob.type));
      await move.end();
      await more(200);
    });
    expect(await load.lost()).toEqual([]);
    await expectWakeUp();
  });

  /** An idle worker hears of a job; the poll that would find it otherwise comes later. */
  async function expectWakeUp(): Promise<void> {
    const { jobId } = await app.queue.enqueue(PathJob, { act: 'return' });
    await app.until(jobId, succeeded);
  }
});
