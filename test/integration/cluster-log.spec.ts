import { closeRedis, connectRedis, createLogger, waitUntilReady } from '@antrean/platform';
import { eventually } from '../support/eventually.js';
import { IN_PARTS, TestCluster } from '../support/test-cluster.js';

describe('the log of a connection to a Cluster', () => {
  it('tells of each outage of a node, and of its end', async () => {
    const cluster = await TestCluster.start(IN_PARTS);
    const lines: Record<string, unknown>[] = [];
    const stream = { write: (line: string) => lines.push(JSON.parse(line) as Record<string, unknown>) };
    const logger = createLogger({ app: 'api', level: 'info', format: 'json' }, stream);
    const redis = connectRedis(cluster.url, { name: 'antrean-test', logger });
    await waitUntilReady(redis, 10_000);
    const [node] = cluster.nodes;
    const [name] = await cluster.names();
    const untilTold = (msg: string) =>
      eventually(async () => {
        await redis.set(`{${name}}`, '').catch(() => undefined);
        expect(lines.at(-1)).toMatchObject({ msg, server: `127.0.0.1:${node.server.port}` });
      });
    for (let outage = 0; outage < 2; outage += 1) {
      await node.kill();
      await untilTold('redis is away');
      await node.restart();
      await untilTold('redis is back');
    }
    expect(lines).toHaveLength(4);
    closeRedis(redis);
    await cluster.stop();
  });
});
