import { closeRedis, connectRedis, waitUntilReady } from '@antrean/platform';
import { Link } from '@antrean/jobs/testing';
import type { Cluster } from 'ioredis';
import { JobScan } from '../../libs/jobs/src/store/job-scan.js';
import { eventually } from '../support/eventually.js';
import { silentLogger } from '../support/shared-redis.js';
import { IN_PARTS, TestCluster } from '../support/test-cluster.js';

describe('a scan of all jobs of a Cluster', () => {
  let cluster: TestCluster;
  let redis: Cluster;
  let link: Link;
  let types: readonly string[];
  let scan: JobScan;
  let found: Set<string>;

  beforeAll(async () => {
    cluster = await TestCluster.start(IN_PARTS);
    // It is one by its address.
    redis = connectRedis(cluster.url, { name: 'antrean-test', logger: silentLogger }) as Cluster;
    expect(await waitUntilReady(redis, 10_000)).toBe(true);
    link = new Link(redis, 'test');
    types = await cluster.names();
  });

  afterAll(async () => {
    closeRedis(redis);
    await cluster.stop();
  });

  beforeEach(async () => {
    scan = new JobScan(link);
    found = new Set();
    await writeJobs();
  });

  const writeJobs = async () => {
    for (const type of types) await redis.set(link.keys(type).job('01JDVZ8XQ4T4Y8Q7M5K3N2P1R0'), 'job');
  };

  const passAll = async () => {
    for (let page = await scan.page(); page !== undefined; page = await scan.page()) {
      for (const { type } of page) found.add(type);
      scan.passOn();
    }
  };

  const isBack = async () => {
    await cluster.untilOk();
    await eventually(writeJobs);
  };

  it('is not over while a node is away, and goes through that one once it is back', async () => {
    const [node] = cluster.nodes;
    await node.kill();
    await eventually(() => {
      expect(redis.nodes('master')).toHaveLength(2);
    });
    await expect(passAll()).rejects.toThrow();
    await expect(passAll()).rejects.toThrow();
    await node.restart();
    await isBack();
    await eventually(passAll);
    expect([...found].sort()).toEqual(types.toSorted());
  });

  it('is not over while all nodes are away', async () => {
    await Promise.all(cluster.nodes.map((node) => node.kill()));
    await eventually(() => {
      expect(redis.nodes('master')).toHaveLength(0);
    });
    await expect(passAll()).rejects.toThrow();
    await Promise.all(cluster.nodes.map((node) => node.restart()));
    await isBack();
    await eventually(passAll);
    expect([...found].sort()).toEqual(types.toSorted());
  });
});
