import { Link } from '@antrean/jobs/testing';
import type { Redis } from 'ioredis';
import { viewOf, type QueueView } from '../../support/queue-view.js';
import { readKeysUnder, restoreKeysUnder, saveKeysUnder, type SavedKeys } from '../../support/stored-keys.js';
import type { Submit, Token } from '../rules/job.js';
import { Queue, type Policy } from '../rules/queue.js';
import { Violation, must } from '../rules/violation.js';
import type { Tally } from '../tally.js';
import { Clock, WINDOW_MS, duration } from './clock.js';
import { differences } from './compare.js';
import { Engine } from './engine.js';
import { TestWorker } from './worker.js';

const POLICIES: readonly Policy[] = [3, 2].map((maxCrashes) => ({ maxCrashes, graceMs: 20_000, leaseMs: duration(15) }));
/** So many commands, and both types are looked at. */
const ALL_EVERY = 16;
const FIRST_WORKER = 2n ** 51n + 12_345n;

/** One type: its queue in the engine, and in the model. */
export interface Side {
  readonly engine: Engine;
  queue: Queue;
  /** All tokens that each job was ever claimed with, as the workers were told. */
  readonly grants: Map<string, Token[]>;
  /** Submits as they were sent, the latest last. */
  readonly sent: (readonly Submit[])[];
  /** Events as they were read from Redis, the latest batch last. */
  readonly read: (readonly Buffer[])[];
  /** As Redis was looked at last. */
  view: QueueView | undefined;
}

/** The machine stood still so long that times cannot be told apart. */
export class TooSlow extends Error {}

/** What the engine answers to a call that comes late. */
export const LATE = 'late';

/** Two types, three workers, one Redis, and the model of it all. */
export class World {
  readonly clock = new Clock();
  readonly sides: readonly [Side, Side];
  readonly workers: TestWorker[];
  private workersSoFar = 0;
  private ulidsSoFar = 0;
  private stepsSoFar = 0;
  private saved: { readonly keys: SavedKeys; readonly queues: readonly Queue[] } | undefined;
  /** Since the last rollback, workers that have not reconciled. */
  rolledBack = false;

  constructor(
    private readonly redis: Redis,
    private readonly prefix: string,
    readonly tally: Tally,
  ) {
    const link = new Link(redis, prefix);
    const [first, second] = POLICIES.map((policy, index) => ({
      engine: new Engine(link, `model.${index}`, policy),
      queue: new Queue(policy, tally),
      grants: new Map<string, Token[]>(),
      sent: [],
      read: [],
      view: undefined,
    }));
    if (first === undefined || second === undefined) throw new Error('A policy is missing.');
    this.sides = [first, second];
    this.workers = [1, 2, 1].map((version) => this.newWorker(version));
  }

  newWorker(version: number): TestWorker {
    this.workersSoFar += 1;
    return new TestWorker(String(FIRST_WORKER + BigInt(this.workersSoFar) * 7_919n), version);
  }

  newUlid(): string {
    this.ulidsSoFar += 1;
    return `01M0DE1${String(this.ulidsSoFar).padStart(19, '0')}`;
  }

  /**
   * Carries one command out, and has `judge` say whether its answer was allowed and tell the model what is true now; then all
   * that Redis holds of the type must be as the model says. All of it travels at once.
   * @throws {Violation}
   */
  async step<R>(
    side: Side,
    call: () => Promise<R>,
    judge: (answer: R | typeof LATE, now: number, view: QueueView) => void,
  ): Promise<void> {
    const now = this.clock.next();
    const { engine } = side;
    this.redis.stream.cork();
    const set = this.clock.set(this.redis, `${engine.keyBase}clock`);
    const calling = call().catch(late);
    const looking = readKeysUnder(this.redis, engine.keyBase);
    this.redis.stream.uncork();
    const [, answer, { nowMs, values }] = await Promise.all([set, calling, looking]);
    const offset = values.get(`${engine.keyBase}clock`);
    const after = nowMs + Number(offset?.kind === 'string' ? offset.bytes : 0);
    if (after < now || after > now + WINDOW_MS) throw new TooSlow(`A command took ${after - now} ms.`);
    side.view = viewOf(engine.keyBase, values, side.view);
    judge(answer, now, side.view);
    this.compare(side, side.view);
    this.stepsSoFar += 1;
    if (this.stepsSoFar % ALL_EVERY === 0) await this.compareAll();
  }

  /** Looks at both types, since a command for one has no business with the other. */
  async compareAll(): Promise<void> {
    for (const side of this.sides) {
      const { values } = await readKeysUnder(this.redis, side.engine.keyBase);
      this.compare(side, viewOf(side.engine.keyBase, values, side.view));
    }
  }

  private compare(side: Side, view: QueueView): void {
    const found = differences(side.queue, view, this.clock.now);
    must(found.length === 0, found.join('\n'));
  }

  /** Keeps this moment of Redis for a rollback. */
  async save(): Promise<void> {
    this.saved = {
      keys: await saveKeysUnder(this.redis, `${this.prefix}:`),
      queues: this.sides.map(({ queue }) => queue.fork()),
    };
  }

  /**
   * A failover lost what was written since the saved moment. Workers remember it all the same.
   * @returns false when no moment was saved yet
   */
  async rollBack(): Promise<boolean> {
    if (this.saved === undefined) return false;
    await restoreKeysUnder(this.redis, `${this.prefix}:`, this.saved.keys);
    this.sides.forEach((side, index) => {
      side.queue = this.saved?.queues[index]?.fork() ?? side.queue;
    });
    this.tally.saw('rolled back');
    this.rolledBack = true;
    return true;
  }

  /**
   * Of jobs that are gone nothing is left but what keeps later submits apart: dedupe keys by time, and once records; and for a while
   * how many were promoted within a window.
   */
  async mustBeEmpty(): Promise<void> {
    const { values } = await readKeysUnder(this.redis, `${this.prefix}:`);
    const left = [...values.keys()].filter((key) => !/:(clock|seq|lanes|workers|idle|pace|dedupe:.*|once:.*)$/.test(key));
    must(left.length === 0, `${left.join()} was left behind`);
  }

  async clear(): Promise<void> {
    await restoreKeysUnder(this.redis, `${this.prefix}:`, []);
  }
}

function late(error: unknown): typeof LATE {
  if (error instanceof Error && error.message.startsWith('STALE ')) return LATE;
  throw error instanceof Error ? new Violation(error.message, { cause: error }) : error;
}
