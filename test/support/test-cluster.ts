import { Redis } from 'ioredis';
import { eventually } from './eventually.js';
import { TestRedis } from './test-redis.js';

const SLOTS = 16_384;
const KEYS_PER_MOVE = 50;
/** Such as a machine that is busy needs: a node that is slow must not count as dead. */
const SETTINGS = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '3000'];
/** The other nodes serve their slots while one is away. */
export const IN_PARTS = ['--cluster-require-full-coverage', 'no'] as const;

/** One of the servers of a {@link TestCluster}. */
export class TestNode {
  constructor(
    readonly server: TestRedis,
    readonly redis: Redis,
    readonly id: string,
    private readonly settings: readonly string[],
  ) {}

  async kill(): Promise<void> {
    await this.server.kill();
  }

  /** With its data, under its id. */
  async restart(more: readonly string[] = []): Promise<void> {
    await this.server.restart([...this.settings, ...more]);
  }
}

/** A slot between two nodes: its keys are on the one or the other. */
export class SlotMove {
  constructor(
    private readonly slot: number,
    private readonly source: TestNode,
    private readonly target: TestNode,
  ) {}

  /** Moves some keys; false when none are left. */
  async moveKeys(count: number): Promise<boolean> {
    const keys = (await this.source.redis.call('CLUSTER', 'GETKEYSINSLOT', this.slot, count)) as readonly string[];
    if (keys.length === 0) return false;
    await this.source.redis.call('MIGRATE', '127.0.0.1', this.target.server.port, '', 0, 5_000, 'KEYS', ...keys);
    return true;
  }

  /** Moves what is left, and gives the slot to its new node. */
  async end(): Promise<void> {
    while (await this.moveKeys(KEYS_PER_MOVE));
    for (const { redis } of [this.target, this.source]) await redis.call('CLUSTER', 'SETSLOT', this.slot, 'NODE', this.target.id);
  }
}

/** A Cluster of three masters, each on a third of the slots. */
export class TestCluster {
  private readonly replicas: TestNode[] = [];

  private constructor(readonly nodes: readonly [TestNode, TestNode, TestNode]) {}

  static async start(settings: readonly string[] = []): Promise<TestCluster> {
    const nodes = await Promise.all([startNode(settings), startNode(settings), startNode(settings)]);
    const cluster = new TestCluster(nodes);
    await Promise.all(
      nodes.map(({ redis }, nth) => {
        const [first, next] = [nth, nth + 1].map((third) => Math.floor((third * SLOTS) / nodes.length));
        return redis.call('CLUSTER', 'ADDSLOTSRANGE', String(first), String((next ?? 0) - 1));
      }),
    );
    const [seed, ...others] = nodes;
    for (const { server } of others) await seed.redis.call('CLUSTER', 'MEET', '127.0.0.1', String(server.port));
    await cluster.untilOk();
    return cluster;
  }

  get url(): string {
    return `redis://${this.nodes.map(({ server }) => `127.0.0.1:${server.port}`).join(',')}`;
  }

  /** Resolves once each node sees all slots served. */
  async untilOk(): Promise<void> {
    await eventually(async () => {
      for (const { redis } of this.nodes) {
        const info = String(await redis.call('CLUSTER', 'INFO'));
        if (!info.includes('cluster_state:ok') || !info.includes(`cluster_size:${this.nodes.length}`)) throw new Error(info);
      }
    });
  }

  slotOf(key: string): Promise<number> {
    return this.first.redis.cluster('KEYSLOT', key);
  }

  async ownerOf(slot: number): Promise<TestNode> {
    const ranges = (await this.first.redis.call('CLUSTER', 'SLOTS')) as readonly [number, number, [string, number, string]][];
    const id = ranges.find(([first, last]) => first <= slot && slot <= last)?.[2][2];
    const owner = this.nodes.find((node) => node.id === id);
    if (owner === undefined) throw new Error(`Nobody serves slot ${slot}.`);
    return owner;
  }

  /** For each node a name, such as of a type, whose slot it serves when it is a key's tag. */
  async names(): Promise<readonly [string, string, string]> {
    const [first, second, third] = this.nodes;
    return [await this.nameOn(first), await this.nameOn(second), await this.nameOn(third)];
  }

  /** Begins to move a slot to another node, as `redis-cli --cluster reshard` does. */
  async beginMove(slot: number): Promise<SlotMove> {
    const source = await this.ownerOf(slot);
    const target = this.nodes[(this.nodes.indexOf(source) + 1) % this.nodes.length] ?? source;
    await target.redis.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id);
    await source.redis.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id);
    return new SlotMove(slot, source, target);
  }

  /** Resolves once it has all data of its master. */
  async addReplica(master: TestNode): Promise<void> {
    const replica = await startNode([]);
    this.replicas.push(replica);
    await replica.redis.call('CLUSTER', 'MEET', '127.0.0.1', String(master.server.port));
    await eventually(() => replica.redis.call('CLUSTER', 'REPLICATE', master.id));
    await eventually(async () => {
      const state = await master.redis.info('replication');
      if (!state.includes('state=online')) throw new Error(state);
    });
  }

  async stop(): Promise<void> {
    await Promise.all(
      [...this.replicas, ...this.nodes].map(async ({ redis, server }) => {
        redis.disconnect();
        await server.stop();
      }),
    );
  }

  private get first(): TestNode {
    return this.nodes[0];
  }

  private async nameOn(node: TestNode): Promise<string> {
    for (let nth = 0; ; nth += 1) if ((await this.ownerOf(await this.slotOf(`{run.${nth}}`))) === node) return `run.${nth}`;
  }
}

async function startNode(more: readonly string[]): Promise<TestNode> {
  const settings = [...SETTINGS, ...more];
  const server = await TestRedis.start(settings);
  const redis = new Redis({ port: server.port, retryStrategy: () => 100 });
  // While a node is dead its connection says so again and again.
  redis.on('error', () => undefined);
  return new TestNode(server, redis, String(await redis.call('CLUSTER', 'MYID')), settings);
}
