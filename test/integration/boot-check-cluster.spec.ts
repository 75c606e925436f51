import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { IN_PARTS, TestCluster, type TestNode } from '../support/test-cluster.js';

const MAIL = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };
const EVICTING = ['--maxmemory', '100mb', '--maxmemory-policy', 'allkeys-lru'];
/** It is looked again each second. */
const SOME_LOOKS_MS = 3_000;

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
      expect(api.log).toContainEqual(expect.objectContaining({ level: 'fatal', reason: mend() }));
    });
    expect((await api.http.post('/jobs').send(MAIL)).status).toBe(503);
    await api.close();
    await node.restart();
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
