import type { Settlement } from '../../libs/jobs/src/store/exchange.js';
import { MAX_JOBS_PER_CALL } from '../../libs/jobs/src/store/bounds.js';
import { StoredQueue, type JobPlan } from '../support/stored-queue.js';

const BATCH = MAX_JOBS_PER_CALL;
/** Calls on their way at a time while the queue is filled. */
const AT_ONCE = 4;
/** 200 bytes with its frame. */
const PAYLOAD_JSON = JSON.stringify({ text: 'x'.repeat(189) });

/** One in ten of what is kept failed for good. */
const BURY: Settlement = { event: 'bury', outcome: 'failed', json: '{"name":"Error","code":"error","message":"no"}' };
const SUCCEED: Settlement = { event: 'succeed', json: '{"sent":true}' };

/** One type's queue with very many jobs. */
export class LargeQueue {
  private readonly queued: string[] = [];
  private readonly kept: Record<'succeeded' | 'failed', string[]> = { succeeded: [], failed: [] };

  private constructor(readonly store: StoredQueue) {}

  static async open(): Promise<LargeQueue> {
    return new LargeQueue(await StoredQueue.open());
  }

  plan(more: JobPlan = {}): JobPlan {
    return { payloadJson: PAYLOAD_JSON, ...more };
  }

  /** Kept first: what is claimed for them must not be what is to stay queued. */
  async fill(queued: number, kept: number): Promise<void> {
    await inTurns(kept / BATCH, AT_ONCE, async (index) =>
      this.finish(await this.add(BATCH), index % 10 === 0 ? 'failed' : 'succeeded'),
    );
    await inTurns(queued / BATCH, AT_ONCE, async () => {
      this.queued.push(...(await this.add(BATCH)));
    });
  }

  add(count: number, more?: JobPlan): Promise<string[]> {
    return this.store.add(Array.from({ length: count }, () => this.plan(more)));
  }

  /** Jobs from the middle of the line; each is given once. */
  takeQueued(count: number): string[] {
    return this.queued.splice(this.queued.length / 2, count);
  }

  /** Jobs from the middle of those that ended so; each is given once. */
  takeKept(status: 'succeeded' | 'failed', count: number): string[] {
    const all = this.kept[status];
    return all.splice(all.length / 2, count);
  }

  private async finish(ulids: readonly string[], status: 'succeeded' | 'failed'): Promise<void> {
    const worker = this.store.newWorker();
    const { claimed } = await worker.exchange({ want: ulids.length });
    const settlement = status === 'failed' ? BURY : SUCCEED;
    await worker.exchange({ want: 'leave', settles: claimed.map(({ ulid, token }) => ({ ulid, token, settlement })) });
    this.kept[status].push(...claimed.map(({ ulid }) => ulid));
  }
}

async function inTurns(count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      const index = next;
      next += 1;
      await work(index);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, lane));
}
