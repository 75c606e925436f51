import { RunAct } from '../fixtures/engine/act.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { expectUnavailable, untilAccepted } from '../support/away-answer.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { PathHandler, PathJob } from '../support/path-job.js';
import { SubmitLoad, type Accepted } from '../support/submit-load.js';
import { TestSentinel } from '../support/test-sentinel.js';
import { itWalksTheWholePath } from '../support/walk-path.js';

jest.setTimeout(120_000);

/** By so much a replica may be behind on a busy machine, and the word of a failover late. */
const ROOM_MS = 1_000;

describe('behind Sentinels', () => {
  let redis: TestSentinel;
  let app: JobsApp;
  let api: TestApi;

  beforeAll(async () => {
    redis = await TestSentinel.start();
    app = await startJobsApp([PathJob, RunAct], [PathHandler], { redisUrl: redis.url, types: [PathJob.type] });
    api = await startTestApi({ REDIS_URL: redis.url });
  });

  afterAll(async () => {
    await Promise.all([app.close(), api.close()]);
    await redis.stop();
  });

  itWalksTheWholePath(
    () => app,
    () => redis.url,
  );

  it('a master that dies under load takes with it only what it had just answered', async () => {
    let killedAt = 0;
    const load = await SubmitLoad.during(app, async ({ more }) => {
      await more(200);
      const master = await redis.master();
      killedAt = performance.now();
      await master.kill();
      await expectUnavailable(api);
      await redis.untilReplaced(master);
      await untilAccepted(api);
      await more(200);
      await redis.revive(master);
    });
    expect(outside(await load.lost(), killedAt, killedAt)).toEqual([]);
  });

  // Clients that do not hear of it would go on with the old master for ten seconds, and all of that would be lost.
  it('a planned failover under load takes with it only what the old master answered meanwhile', async () => {
    let [askedAt, doneAt] = [0, 0];
    const load = await SubmitLoad.during(app, async ({ more, beyond }) => {
      await more(200);
      askedAt = performance.now();
      await redis.failOver();
      doneAt = performance.now();
      await beyond(doneAt + 3 * ROOM_MS);
      // From now on the old master has forgotten what it alone had.
      await redis.untilReplicated();
      await untilAccepted(api);
    });
    expect(outside(await load.lost(), askedAt, doneAt)).toEqual([]);
  });

  it('with DURABILITY=replicated a job that was accepted outlives its master, though its replica had been cut off', async () => {
    const careful = await startJobsApp([PathJob], [PathHandler], { redisUrl: redis.url, durability: 'replicated' });
    const load = await SubmitLoad.during(careful, async ({ more, unsure }) => {
      await more(200);
      const master = await redis.master();
      await redis.cutReplica();
      await unsure(20);
      await master.kill();
      await redis.untilReplaced(master);
      await redis.revive(master);
      await more(200);
    });
    expect(await load.lost()).toEqual([]);
    await careful.close();
  });
});

/** Those that were lost though they were answered well before or after the time in which writes may be undone. */
function outside(lost: readonly Accepted[], from: number, to: number): readonly Accepted[] {
  return lost.filter(({ at }) => at < from - ROOM_MS || at > to + ROOM_MS);
}
