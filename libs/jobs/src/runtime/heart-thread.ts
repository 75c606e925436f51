import { Worker } from 'node:worker_threads';
import type { WorkerIdentity } from '../store/exchange.js';
import { Heart } from './heart.js';
import type { HeartMessage, HeartOrder, HeartSetup } from './heartbeat-entry.js';
import type { WorkerOptions } from './worker-options.js';

/** Before a thread that failed is started anew. */
const RESTART_MS = 1_000;

/** The heart in a thread with a connection of its own, so that a handler that blocks the event loop keeps its lease. */
export class HeartThread extends Heart {
  private readonly held = new Set<string>();
  private thread: Worker | undefined;
  private ended = false;
  private stopped: Promise<void> = Promise.resolve();

  constructor(
    private readonly options: WorkerOptions,
    private readonly worker: WorkerIdentity,
  ) {
    super();
  }

  start(): void {
    if (this.thread !== undefined) return;
    const { redisUrl, keyPrefix, leaseMs, logger } = this.options;
    const setup: HeartSetup = { redisUrl, keyPrefix, leaseMs, workerNumber: this.worker.number };
    const thread = new Worker(new URL('./heartbeat-entry.js', import.meta.url), { workerData: setup });
    this.thread = thread;
    thread.on('message', (message: HeartMessage) => {
      this.onLost(message.lost);
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
          if (!this.ended) this.start();
        }, RESTART_MS).unref();
      });
    });
    for (const type of this.held) this.order({ hold: type });
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

  private order(order: HeartOrder): void {
    this.thread?.postMessage(order);
  }
}
