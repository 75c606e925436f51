import { startTestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { IN_PARTS, TestCluster } from '../support/test-cluster.js';

describe('while a node of the Cluster is away', () => {
  it('the metrics of the api keep the depths of the types on the others, and its health says so', async () => {
    const cluster = await TestCluster.start(IN_PARTS);
    const api = await startTestApi({ REDIS_URL: cluster.url });
    const depths = async () => [...new Set((await api.http.get('/metrics')).text.match(/antrean_queue_jobs\{type="[^"]+/g))];
    const all = await eventually(async () => {
      const found = await depths();
      expect(found).not.toEqual([]);
      return found;
    });
    expect((await api.http.get('/health')).status).toBe(200);
    const node = await cluster.ownerOf(await cluster.slotOf('{email.send}'));
    await node.kill();
    const left = await depths();
    expect(left).not.toContain('antrean_queue_jobs{type="email.send');
    expect(left.length).toBeGreaterThan(0);
    expect(all).toEqual(expect.arrayContaining(left));
    expect(api.log).toContainEqual(
      expect.objectContaining({ level: 'warn', types: expect.arrayContaining(['email.send']) as string[] }),
    );
    const detail = expect.stringContaining('A part of the Cluster does not answer') as string;
    expect((await api.http.get('/health')).body).toMatchObject({ error: { redis: { ping: true, write: false, detail } } });
    expect((await api.http.get('/health/ready')).status).toBe(200);
    await api.close();
    await cluster.stop();
  });
});
