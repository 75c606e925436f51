import { setTimeout as sleep } from 'node:timers/promises';
import { JobHandler, defineJob, unchecked, type JobDefinition } from '@antrean/jobs';
import { createLogger } from '@antrean/platform';
import { startTestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp } from '../support/jobs-app.js';
import { IN_PARTS, TestCluster, type TestNode } from '../support/test-cluster.js';
import { succeeded } from '../support/until-job.js';

const MAIL = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };
const EVICTING = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
/** It is looked again each second. */
const SOME_LOOKS_MS = 3_000;

/** One that has nothing to do. */
function handlerOf(definition: JobDefinition): new () => object {
  class Handler {
    handle(): void {
      // Nothing is asked of it.
    }
  }
  JobHandler(definition)(Handler);
  return Handler;
}

describe('a node of a Cluster', () => {
  let cluster: TestCluster;
  let node: TestNode;

  beforeAll(async () => {
    cluster = await TestCluster.start(IN_PARTS);
    node = await cluster.ownerOf(await cluster.slotOf('{email.send}'));
  });

  afterAll(async () => {
    await cluster.stop();
  });

  const mend = () => expect.stringContaining(`-p ${node.server.port} CONFIG SET maxmemory-policy noeviction`) as string;

  it('that is away when the api starts is waited for', async () => {
    await node.kill();
    const api = await startTestApi({ REDIS_URL: cluster.url });
    const submit = async () => (await api.http.post('/jobs').send(MAIL)).status;
    expect(await submit()).toBe(503);
    await node.restart();
    await eventually(async () => {
      expect(await submit()).toBe(202);
    });
    await api.close();
  });

  it('that is away when the api starts, and evicts when it comes, gets no job', async () => {
    await node.kill();
    const api = await startTestApi({ REDIS_URL: cluster.url });
    await sleep(SOME_LOOKS_MS);
    await node.restart(EVICTING);
    await eventually(() => {
      expect(api.log).toContainEqual(expect.objectContaining({ level: 'error', reason: mend() }));
    });
    const answer = await api.http.post('/jobs').send(MAIL);
    expect(answer.status).toBe(503);
    expect(answer.body).toMatchObject({ outcome: 'not_written' });
    await api.close();
    await node.restart();
  });

  it('that is away when the api starts keeps nothing of the others waiting', async () => {
    const [other] = cluster.nodes.filter((one) => one !== node);
    await other?.kill();
    const api = await startTestApi({ REDIS_URL: cluster.url });
    const location = await eventually(async () => {
      const { status, headers } = await api.http.post('/jobs').send(MAIL);
      expect(status).toBe(202);
      return headers['location'] ?? '';
    });
    expect((await api.http.get(new URL(location, api.url).pathname)).status).toBe(200);
    await other?.restart();
    await eventually(() => {
      expect(api.log).toContainEqual(expect.objectContaining({ msg: 'all of the Cluster is fit, work on all types goes on' }));
    });
    await api.close();
  });

  it('that is away when a worker starts holds up the types on it alone, and those until it is found fit', async () => {
    const [first, second] = await cluster.names();
    const [away] = cluster.nodes;
    const [Away, There] = [first, second].map((type) => defineJob(type, { payload: unchecked<object>() }));
    if (Away === undefined || There === undefined) throw new Error('There are too few nodes.');
    await away.kill();
    const lines: Record<string, unknown>[] = [];
    const stream = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
    const logger = createLogger({ app: 'worker', level: 'info', format: 'json' }, stream);
    const worker = await startJobsApp([Away, There], [handlerOf(Away), handlerOf(There)], { redisUrl: cluster.url, logger });
    const run = async (definition: JobDefinition): Promise<void> => {
      const { jobId } = await worker.queue.enqueue(definition, {});
      await worker.until(jobId, succeeded);
    };
    await eventually(() => run(There));
    const refused = { outcome: 'not_written' };
    await expect(run(Away)).rejects.toMatchObject(refused);
    await away.restart(EVICTING);
    await eventually(() => {
      expect(lines).toContainEqual(
        expect.objectContaining({ level: 'error', reason: expect.stringContaining('allkeys-lru') as string }),
      );
    });
    await expect(run(Away)).rejects.toMatchObject(refused);
    await run(There);
    await away.redis.config('SET', 'maxmemory-policy', 'noeviction');
    await eventually(() => run(Away));
    await worker.close();
    await away.restart();
  });

  it('that comes back and evicts while the api works is told of, with the command that mends it', async () => {
    const api = await startTestApi({ REDIS_URL: cluster.url });
    await eventually(async () => {
      expect((await api.http.post('/jobs').send(MAIL)).status).toBe(202);
    });
    await node.restart(EVICTING);
    await eventually(() => {
      expect(api.log).toContainEqual(expect.objectContaining({ level: 'error', reason: mend() }));
    });
    await api.close();
    await node.restart();
  });
});
