import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { closeRedis, connectRedis, createLogger } from '@antrean/platform';
import type { WorkerIdentity } from '../store/exchange.js';
import type { Pulse } from '../store/heartbeat.js';
import { Link } from '../store/link.js';
import type { WorkerAbout } from '../store/presence.js';
import type { StoredJob } from '../store/reply.js';
import { rouse } from '../store/rouse.js';
import { countOverdueRuns, crashOverdueRuns } from './blocked-runs.js';
import { restoreRetry, type CarriedRetry } from './carried-retry.js';
import { BEATS_PER_LEASE, Heartbeat, allOf } from './heart.js';
import { Loop, type Ticking } from './loop.js';
import { HEARTBEAT_LANE, TimedOutRuns } from './timed-out-runs.js';

/** What the thread has to know of a type to look after its runs. */
export interface HeartPolicy {
  readonly type: string;
  readonly version: number;
  readonly graceMs: number;
  readonly maxCrashes: number;
  readonly retry: CarriedRetry;
}

/** What the thread is started with. */
export interface HeartSetup {
  readonly redisUrl: string;
  readonly keyPrefix: string;
  readonly leaseMs: number;
  readonly worker: WorkerIdentity;
  readonly about: WorkerAbout;
  readonly policies: readonly HeartPolicy[];
  readonly keepFinished: boolean;
  readonly keepFailed: boolean;
}

export type HeartOrder =
  | { readonly hold: string }
  | { readonly release: string }
  /** The event loop of the process turns, with so many handlers whose runs no beat counts any more. */
  | { readonly turning: { readonly beyondRedis: number } }
  | { readonly stop: true };

export type HeartMessage =
  /** The thread has loaded. */
  | { readonly kind: 'up' }
  | { readonly kind: 'pulse'; readonly type: string; readonly pulse: Pulse }
  /** Runs that were settled as timed out because the process could not do so itself. */
  | { readonly kind: 'timed_out'; readonly type: string; readonly ulids: readonly string[] }
  /** Runs that were taken back as crashed, in their new state, because the process was blocked while it had several. */
  | { readonly kind: 'taken'; readonly type: string; readonly jobs: readonly StoredJob[] }
  /** Is the event loop turning? */
  | { readonly kind: 'turning' };

/** A process that has not answered for so many beats is blocked. */
const BLOCKED_AFTER_BEATS = 2;

/** Beats, and while the process is blocked looks after the time limits of its runs. */
class Watch implements Ticking {
  private lastTurnAt = performance.now();
  private beyondRedis = 0;
  /** The most handlers that the process had at a time since it was found blocked; 0 while it is not. */
  private mostHandlers = 0;
  private readonly runs: TimedOutRuns;

  constructor(
    private readonly setup: HeartSetup,
    private readonly link: Link,
    private readonly heartbeat: Heartbeat,
    private readonly port: MessagePort,
  ) {
    const { worker, leaseMs, keepFinished, keepFailed } = setup;
    this.runs = new TimedOutRuns({ link, worker, lane: HEARTBEAT_LANE, leaseMs, keepFinished, keepFailed });
  }

  turned({ beyondRedis }: { readonly beyondRedis: number }): void {
    this.lastTurnAt = performance.now();
    this.beyondRedis = beyondRedis;
    this.mostHandlers = 0;
  }

  async tick(): Promise<number> {
    this.say({ kind: 'turning' });
    try {
      return await this.heartbeat.tick();
    } finally {
      if (performance.now() - this.lastTurnAt > (BLOCKED_AFTER_BEATS * this.setup.leaseMs) / BEATS_PER_LEASE) {
        await this.settleOverdue().finally(() => this.lookForOthers());
      }
    }
  }

  /** The process may have woken somebody before it was blocked, or have been woken itself: it cannot look whether anybody came. */
  private async lookForOthers(): Promise<void> {
    await allOf(Object.keys(this.setup.about.types).map((type) => rouse(this.link, type)));
  }

  private async settleOverdue(): Promise<void> {
    // Those that are taken meanwhile go on all the same, and may be what blocks.
    this.mostHandlers = Math.max(this.mostHandlers, this.heartbeat.jobs + this.beyondRedis);
    const policies = this.setup.policies.filter(({ type }) => this.heartbeat.held.includes(type));
    if (this.mostHandlers === 1) await allOf(policies.map((policy) => this.timeOut(policy)));
    else await this.takeBack(policies);
  }

  /** A run that was alone blocks the loop itself. */
  private async timeOut(policy: HeartPolicy): Promise<void> {
    const jobs = await this.runs.settleOverdue({ ...policy, retry: restoreRetry(policy.retry) }, this.setup.worker.number);
    if (jobs.length > 0) this.say({ kind: 'timed_out', type: policy.type, ulids: jobs.map(({ ulid }) => ulid) });
  }

  /**
   * One of several handlers blocks the loop, and it is not to cost the others an attempt. Where it need not be one of those whose
   * time is over, none of them is to be buried for it soon either.
   */
  private async takeBack(policies: readonly HeartPolicy[]): Promise<void> {
    const { link, setup } = this;
    const { number } = setup.worker;
    // A type that is out of reach may have the handler that blocks.
    const counts = await Promise.all(policies.map((policy) => countOverdueRuns(link, policy, number).catch(() => 0)));
    const blameShared = counts.reduce((sum, count) => sum + count, 0) < this.mostHandlers;
    const take = async (policy: HeartPolicy): Promise<void> => {
      const jobs = await crashOverdueRuns(link, policy, number, blameShared, setup);
      if (jobs.length > 0) this.say({ kind: 'taken', type: policy.type, jobs });
    };
    await allOf(policies.map(take));
  }

  private say(message: HeartMessage): void {
    this.port.postMessage(message);
  }
}

if (parentPort !== null) {
  const port = parentPort;
  // The thread is started by HeartThread alone, with this.
  const setup = workerData as HeartSetup;
  const { redisUrl, keyPrefix, leaseMs, worker, about } = setup;
  // The process' other connections tell of an outage; saying it twice helps nobody.
  const logger = createLogger({ app: 'worker', level: 'silent', format: 'json' });
  // It is not confined to the nodes of a Cluster that were found fit: it moves on leases alone of jobs that were claimed on such, and
  // no job hangs on what else it writes, who is there and who was woken.
  const redis = connectRedis(redisUrl, { name: 'antrean-heartbeat', logger, commandTimeoutMs: leaseMs / BEATS_PER_LEASE });
  const link = new Link(redis, keyPrefix);
  const onPulse = (type: string, pulse: Pulse) => {
    port.postMessage({ kind: 'pulse', type, pulse } satisfies HeartMessage);
  };
  const heartbeat = new Heartbeat({ link, workerNumber: worker.number, leaseMs, about, onPulse });
  const watch = new Watch(setup, link, heartbeat, port);
  const loop = new Loop('heartbeat', watch, logger);
  loop.start();
  port.postMessage({ kind: 'up' } satisfies HeartMessage);
  port.on('message', (order: HeartOrder) => {
    if ('hold' in order) heartbeat.hold(order.hold);
    else if ('release' in order) heartbeat.release(order.release);
    else if ('turning' in order) watch.turned(order.turning);
    else {
      void loop
        .stop()
        .then(() => heartbeat.leave())
        .catch(() => undefined)
        .finally(() => {
          closeRedis(redis);
          port.close();
        });
    }
  });
}
