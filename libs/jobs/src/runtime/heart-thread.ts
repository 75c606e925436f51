import { Worker } from 'node:worker_threads';
import type { JobDefinition } from '../definition/job-definition.js';
import { formatJobId } from '../definition/job-id.js';
import type { WorkerIdentity } from '../store/exchange.js';
import type { WorkerAbout } from '../store/presence.js';
import { carryRetry } from './carried-retry.js';
import { Heart } from './heart.js';
import type { HeartMessage, HeartOrder, HeartPolicy, HeartSetup } from './heartbeat-entry.js';
import { longestGraceMs } from './time-limits.js';
import type { WorkerOptions } from './worker-options.js';

/** Before a thread that failed is started anew. */
const RESTART_MS = 1_000;
/** In MiB. It holds some 25, and makes little garbage, of which Node would let much more lie. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** The heart in a thread with a connection of its own, so that a handler that blocks the event loop keeps its lease. */
export class HeartThread extends Heart {
  private readonly held = new Set<string>();
  private thread: Worker | undefined;
  private ended = false;
  private isUp: () => void = () => undefined;
  private readonly up = new Promise<void>((resolve) => {
    this.isUp = resolve;
  });
  private stopped: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: WorkerOptions,
    private readonly worker: WorkerIdentity,
  ) {
    super();
  }

  /** A thread loads its code only while the event loop turns; from then on it needs it no more. */
  start(about: WorkerAbout): Promise<void> {
    if (this.thread === undefined) this.run(about);
    return this.up;
  }

  async stop(): Promise<void> {
    const { thread } = this;
    this.ended = true;
    this.thread = undefined;
    thread?.postMessage({ stop: true } satisfies HeartOrder);
    await this.stopped;
  }

  hold(type: string): void {
    if (this.held.has(type)) return;
    this.held.add(type);
    this.order({ hold: type });
  }

  release(type: string): void {
    if (this.held.delete(type)) this.order({ release: type });
  }

  tellBeyondRedis(): void {
    this.order({ turning: { beyondRedis: this.beyondRedis() } });
  }

  private run(about: WorkerAbout): void {
    const { logger } = this.options;
    const thread = new Worker(new URL('./heartbeat-entry.js', import.meta.url), {
      workerData: this.setup(about),
      resourceLimits: LIMITS,
    });
    this.thread = thread;
    thread.on('message', (message: HeartMessage) => {
      this.hear(message);
    });
    thread.on('error', (error) => {
      logger.error({ err: error }, 'heartbeat thread failed');
    });
    this.stopped = new Promise((resolve) => {
      thread.once('exit', () => {
        resolve();
        // It ends only when it is told to: start anew after a failure.
        if (this.thread !== thread) return;
        this.thread = undefined;
        setTimeout(() => {
          if (!this.ended) this.run(about);
        }, RESTART_MS).unref();
      });
    });
    for (const type of this.held) this.order({ hold: type });
  }

  private setup(about: WorkerAbout): HeartSetup {
    const { redisUrl, keyPrefix, leaseMs, definitions, retentionMs, deadRetentionMs } = this.options;
    return {
      redisUrl,
      keyPrefix,
      leaseMs,
      worker: this.worker,
      about,
      policies: definitions.filter(({ type }) => type in about.types).map(policyOf),
      keepFinished: retentionMs > 0,
      keepFailed: deadRetentionMs > 0,
    };
  }

  private hear(message: HeartMessage): void {
    switch (message.kind) {
      case 'up':
        this.isUp();
        break;
      case 'pulse':
        this.onPulse(message.type, message.pulse);
        break;
      case 'turning':
        this.tellBeyondRedis();
        break;
      case 'taken':
        this.onTaken(message.type, message.jobs);
        break;
      case 'timed_out': {
        const { type, ulids } = message;
        this.onTimedOut(type);
        const job_ids = ulids.map((ulid) => formatJobId({ type, ulid }));
        this.options.logger.warn({ job_type: type, job_ids }, 'jobs were settled as timed out while the event loop was blocked');
      }
    }
  }

  private order(order: HeartOrder): void {
    this.thread?.postMessage(order);
  }
}

function policyOf(definition: JobDefinition): HeartPolicy {
  const { type, version, maxCrashes } = definition;
  return { type, version, graceMs: longestGraceMs(definition), maxCrashes, retry: carryRetry(definition) };
}
