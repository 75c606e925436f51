import { setTimeout as sleep } from 'node:timers/promises';
import { closeRedis, connectRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { Link } from '@antrean/jobs/testing';
import { WakeUp } from '../../libs/jobs/src/runtime/wake-up.js';
import { newWorkerIdentity } from '../../libs/jobs/src/runtime/worker-identity.js';
import type { WorkerOptions } from '../../libs/jobs/src/runtime/worker-options.js';
import { eventually } from '../support/eventually.js';
import { newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { IN_PARTS, TestCluster, type TestNode } from '../support/test-cluster.js';

const LOOK_MS = 3_000;
/** Of the client that looks where the slots are and tries the node anew, for each time that a worker does so. */
const CONNECTIONS_A_SECOND = 5;

describe('a worker of several types on a Cluster', () => {
  const keyPrefix = newKeyPrefix();
  const identity = newWorkerIdentity();
  let cluster: TestCluster;
  let speaker: RedisConnection;
  let link: Link;
  let node: TestNode;
  let other: TestNode;
  let there: string;
  let here: string;
  let wakeUp: WakeUp;
  let looks: string[];

  beforeAll(async () => {
    cluster = await TestCluster.start(IN_PARTS);
    [node, other] = cluster.nodes;
    [there, here] = await cluster.names();
    speaker = connectRedis(cluster.url, { name: 'antrean-test', logger: silentLogger });
    await waitUntilReady(speaker, 10_000);
    link = new Link(speaker, keyPrefix);
  });

  beforeEach(() => {
    looks = [];
    wakeUp = new WakeUp({ redisUrl: cluster.url, keyPrefix, logger: silentLogger } as WorkerOptions, identity);
  });

  afterEach(() => {
    wakeUp.stop();
  });

  afterAll(async () => {
    closeRedis(speaker);
    await cluster.stop();
  });

  const start = () => {
    wakeUp.start([there, here], { onWake: (type) => looks.push(type), onCancel: jest.fn(), onOutgoing: jest.fn() });
  };

  const untilLookedFor = (...types: readonly string[]) =>
    eventually(() => {
      expect(looks).toEqual(expect.arrayContaining([...types]));
    });

  /** Says once that there is work of the type, and nobody looks for it but who hears it. */
  async function expectHeard(type: string): Promise<void> {
    looks.splice(0);
    expect(await eventually(() => speaker.spublish(link.keys(type).wake(String(identity.number)), ''))).toBe(1);
    await untilLookedFor(type);
  }

  it('hears of the work on all other nodes while one is away, and of all once it is back', async () => {
    await node.kill();
    start();
    await untilLookedFor(here);
    await expectHeard(here);
    await node.restart();
    await untilLookedFor(there);
    await expectHeard(there);
  });

  it('looks for what it may have missed as soon as it hears a node again', async () => {
    start();
    await untilLookedFor(there, here);
    await expectHeard(there);
    looks.splice(0);
    await node.restart();
    await untilLookedFor(there);
    await expectHeard(there);
    await expectHeard(here);
  });

  it('leaves the other nodes in peace meanwhile, and looks for nothing there', async () => {
    start();
    await untilLookedFor(there, here);
    await node.kill();
    const connections = async () => Number(/total_connections_received:(\d+)/.exec(await other.redis.info('stats'))?.[1]);
    const before = await connections();
    looks.splice(0);
    await sleep(LOOK_MS);
    expect((await connections()) - before).toBeLessThan((CONNECTIONS_A_SECOND * LOOK_MS) / 1_000);
    expect(looks).toEqual([]);
    await expectHeard(here);
    await node.restart();
    await untilLookedFor(there);
  });

  it('hears of the work of a type whose slot has moved, and looks for what it may have missed', async () => {
    start();
    await untilLookedFor(there, here);
    looks.splice(0);
    await (await cluster.beginMove(await cluster.slotOf(`{${there}}`))).end();
    await untilLookedFor(there);
    await expectHeard(there);
  });
});
