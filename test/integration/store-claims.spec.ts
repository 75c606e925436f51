import type { Claimed } from '../../libs/jobs/src/store/exchange.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, JobPlan, StoredWorker } from '../support/stored-queue.js';

const KIB = 1_024;
const MIB = KIB * KIB;

const payloadOf = (bytes: number): string => JSON.stringify({ text: 'x'.repeat(bytes - '{"text":""}'.length) });
const ulidsOf = (claimed: readonly Claimed[]): string[] => claimed.map(({ ulid }) => ulid);
const succeed = ({ ulid, token }: Claimed) => ({ ulid, token, settlement: { event: 'succeed', json: '' } }) as const;

describe('a claim', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  /** One job of each priority from 0 to 9; by priority. */
  const addOnePerPriority = () => queue.add(Array.from({ length: 10 }, (_, priority) => ({ priority })));

  it('takes priority 9 first and 0 last', async () => {
    const ulids = await addOnePerPriority();
    const { claimed } = await worker.exchange({ want: 10 });
    expect(ulidsOf(claimed)).toEqual(ulids.toReversed());
  });

  it('takes the lowest priority first in every tenth call of a lane, and in no other', async () => {
    const priorities: number[] = [];
    for (let call = 1; call <= 30; call += 1) {
      await addOnePerPriority();
      const { claimed } = await worker.exchange({ call, want: 1 });
      priorities.push(...claimed.map(({ record }) => record.priority));
    }
    expect(priorities.flatMap((priority, index) => (priority === 9 ? [] : [[index + 1, priority]]))).toEqual([
      [10, 0],
      [20, 0],
      [30, 0],
    ]);
  });

  it('takes jobs of one priority in the order of their submits', async () => {
    const ulids = await queue.add(Array.from({ length: 50 }, () => ({})));
    const first = await worker.exchange({ want: 20 });
    const second = await worker.exchange({ lane: 1, want: 30 });
    expect(ulidsOf([...first.claimed, ...second.claimed])).toEqual(ulids);
  });

  it('keeps many running jobs where adding one more does not go through them all, and nothing else beside them', async () => {
    const ulids = await queue.add(Array.from({ length: 64 }, () => ({})));
    await worker.exchange({ want: 16 });
    expect(await queue.redis.call('OBJECT', 'ENCODING', queue.keys.running)).toBe('skiplist');
    await worker.exchange({ lane: 1, want: 48 });
    expect(await queue.redis.zrange(queue.keys.running, '0', '-1')).toEqual(ulids);
  });

  it('hands out large payloads about 1 MiB a call: whole, in order, each once, and never with an answer that sends the worker to sleep', async () => {
    const sizes = [250 * KIB, 250 * KIB, 1 * KIB, 256 * KIB, 100 * KIB];
    const plans: JobPlan[] = Array.from({ length: 60 }, (_, index) => ({
      payloadJson: payloadOf(sizes[index % sizes.length] ?? 1),
    }));
    const ulids: string[] = [];
    for (let i = 0; i < plans.length; i += 4) ulids.push(...(await queue.add(plans.slice(i, i + 4))));
    const claimed: Claimed[] = [];
    let calls = 0;
    while (claimed.length < ulids.length) {
      const reply = await worker.exchange({ want: 100 });
      calls += 1;
      expect(reply.claimed.length).toBeGreaterThan(0);
      const bytes = reply.claimed.reduce((sum, { record }) => sum + record.payloadJson.length, 0);
      expect(bytes).toBeLessThanOrEqual(MIB);
      claimed.push(...reply.claimed);
      expect(reply.idle).toBe(claimed.length === ulids.length);
    }
    expect(ulidsOf(claimed)).toEqual(ulids);
    expect(claimed.map(({ record }) => record.payloadJson)).toEqual(plans.map(({ payloadJson }) => payloadJson));
    expect(calls).toBeLessThan(20);
  });

  it('hands out fewer in a call that frees dedupe keys, and lets the worker come again at once', async () => {
    const plans = (count: number): JobPlan[] =>
      Array.from({ length: count }, (_, n) => ({ dedupe: { key: `k${n}`, policy: 'until_finished' } }));
    await queue.add(plans(64));
    const { claimed } = await worker.exchange({ want: 64 });
    await queue.add(Array.from({ length: 100 }, () => ({})));
    const second = await worker.exchange({ want: 64, settles: claimed.map(succeed) });
    expect([claimed.length, second.claimed.length, second.idle]).toEqual([64, 32, false]);
    const third = await worker.exchange({ want: 64, settles: second.claimed.map(succeed) });
    expect(third.claimed).toHaveLength(64);
  });

  it('hands out a job that is larger than an answer should be all the same, alone', async () => {
    const [small, large, next] = await queue.add([{}, { payloadJson: payloadOf(2 * MIB) }, {}]);
    expect(ulidsOf((await worker.exchange({ want: 3 })).claimed)).toEqual([small]);
    expect(ulidsOf((await worker.exchange({ want: 3 })).claimed)).toEqual([large]);
    expect(ulidsOf((await worker.exchange({ want: 3 })).claimed)).toEqual([next]);
  });

  it('lets no job of a lower priority overtake a large one that has to wait for the next answer', async () => {
    const large = payloadOf(600 * KIB);
    const [first, second, low] = await queue.add([
      { priority: 9, payloadJson: large },
      { priority: 9, payloadJson: large },
      { priority: 1 },
    ]);
    expect(ulidsOf((await worker.exchange({ want: 3 })).claimed)).toEqual([first]);
    expect(ulidsOf((await worker.exchange({ want: 3 })).claimed)).toEqual([second, low]);
  });

  it('loses nothing when more is wanted than one script call may carry', async () => {
    const ulids = await queue.add(Array.from({ length: 6_000 }, () => ({})));
    const claimed: Claimed[] = [];
    let idle = false;
    while (!idle) {
      const reply = await worker.exchange({ want: 10_000 });
      expect(reply.claimed.length).toBeLessThanOrEqual(250);
      claimed.push(...reply.claimed);
      idle = reply.idle;
    }
    expect(ulidsOf(claimed)).toEqual(ulids);
    expect((await queue.depth()).counts).toMatchObject({ queued: 0, processing: 6_000 });
  });

  it('keeps a job that is handed back in the same call in its line, in front', async () => {
    const [first, second, third] = await queue.add([{}, {}, {}]);
    const { claimed } = await worker.exchange({ want: 1 });
    expect(ulidsOf(claimed)).toEqual([first]);
    const settles = claimed.map(({ ulid, token }) => ({ ulid, token, settlement: { event: 'hand_back', delayMs: 0 } as const }));
    const reply = await worker.exchange({ want: 1, settles });
    expect([reply.settled, ulidsOf(reply.claimed)]).toEqual([['queued'], [second]]);
    expect(ulidsOf((await worker.exchange({ want: 9 })).claimed)).toEqual([first, third]);
  });

  it('gets past entries that no job stands behind, a bounded number a call', async () => {
    const list = queue.keys.ready[5] ?? '';
    const strays = Array.from({ length: 1_000 }, (_, index) => `01HZZZZZZZZZZZZZZZZZZZ${String(index).padStart(4, '0')}`);
    await queue.redis.rpush(list, ...strays);
    const [ulid] = await queue.add([{}]);
    const replies = [];
    do replies.push(await worker.exchange({ want: 1 }));
    while (replies.length < 100 && replies.at(-1)?.claimed.length === 0 && replies.at(-1)?.idle === false);
    expect(ulidsOf(replies.flatMap(({ claimed }) => claimed))).toEqual([ulid]);
    expect(replies.length).toBeGreaterThan(1);
    expect(await queue.redis.llen(list)).toBe(0);
  });

  it('takes 20,000 jobs that were submitted in one go once each, with four workers of two lanes at it', async () => {
    const plans = Array.from({ length: 20_000 }, () => ({ priority: 3 }));
    const ulids = await queue.add(plans);
    const claimed: string[] = [];
    const work = async (by: StoredWorker, lane: 0 | 1) => {
      let hand: readonly Claimed[] = [];
      do {
        const reply = await by.exchange({ lane, want: 100, settles: hand.map(succeed) });
        expect(reply.settled).toEqual(hand.map(() => 'succeeded'));
        hand = reply.claimed;
        claimed.push(...ulidsOf(hand));
      } while (hand.length > 0);
    };
    const workers = Array.from({ length: 4 }, () => queue.newWorker());
    await Promise.all(workers.flatMap((by) => [work(by, 0), work(by, 1)]));
    expect(claimed).toHaveLength(ulids.length);
    expect(claimed.toSorted()).toEqual(ulids.toSorted());
    const { counts, oldestQueuedMs } = await queue.depth();
    expect(counts).toMatchObject({ queued: 0, processing: 0, succeeded: 20_000 });
    expect(oldestQueuedMs).toBeNull();
    expect(await queue.redis.zcard(queue.keys.leases)).toBe(0);
  });
});
