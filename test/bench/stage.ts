import { join } from 'node:path';
import { Child } from './child-process.js';
import { RedisMeter } from './redis-meter.js';
import type { Variant } from './sides/side.js';
import type { SideName } from './sides/sides.js';

export type WarmUp = (stage: Stage, side: SideName, child: Child) => Promise<void>;

/** The processes that a benchmark runs on: one that submits and as many workers as are needed, for each side, and one Redis. */
export class Stage {
  readonly redis: RedisMeter;
  /** Nothing more can be measured. */
  closed = false;
  private readonly children = new Map<string, Child>();

  /**
   * @param warmUp brings a new process up to speed before it is measured
   * @param profiles a folder for CPU profiles: in a folder for each process, one for each thread
   */
  constructor(
    private readonly redisUrl: string,
    private readonly warmUp: { readonly producer: WarmUp; readonly worker: WarmUp },
    private readonly profiles?: string,
  ) {
    this.redis = new RedisMeter(redisUrl);
  }

  producer(side: SideName): Promise<Child> {
    return this.child(side, 'producer', this.warmUp.producer);
  }

  async workers(side: SideName, count: number): Promise<readonly Child[]> {
    const workers: Child[] = [];
    for (let index = 0; index < count; index += 1) {
      workers.push(await this.child(side, `worker ${index}`, this.warmUp.worker));
    }
    return workers;
  }

  /** An empty Redis with so many jobs waiting. */
  async fill(side: SideName, variant: Variant, jobs: number): Promise<void> {
    await this.redis.clear();
    const producer = await this.producer(side);
    await producer.ask({ do: 'submit', variant, jobs, inFlight: 1, batch: FILL_BATCH });
    const { waiting } = await producer.ask({ do: 'stored', variant });
    if (waiting !== jobs) throw new Error(`${side}: ${jobs} jobs were submitted, ${waiting} are waiting.`);
  }

  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.children.values()].map((child) => child.stop()));
    this.redis.close();
  }

  private async child(side: SideName, name: string, warmUp: WarmUp): Promise<Child> {
    const key = `${side} ${name}`;
    const known = this.children.get(key);
    if (known !== undefined) return known;
    const child = await Child.start(side, this.redisUrl, this.profiling(key));
    this.children.set(key, child);
    await warmUp(this, side, child);
    return child;
  }

  private profiling(name: string): string[] {
    if (this.profiles === undefined) return [];
    return ['--cpu-prof', `--cpu-prof-dir=${join(this.profiles, name.replaceAll(' ', '-'))}`];
  }
}

/** Jobs a call when a queue is filled. */
const FILL_BATCH = 100;
