import { setTimeout as pause } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { TypeKeys } from '../../../libs/jobs/src/store/keys.js';
import { DEFINITIONS } from '../job.js';
import { HoldTracker } from '../ledger/hold-tracker.js';
import { Ledger } from '../ledger/ledger.js';
import { endWithParent, setting, tellParent } from './parent.js';

/** Watches in the queue's Redis which worker holds which job, and until when. It asks nobody else. Told `stop`, it writes down the rest. */

/** And so long at least that it is busy for a fifth of the time at most. */
const EVERY_MS = 50;
const RESTS = 4;
const TIMEOUT_MS = 1_000;

const ledger = new Ledger(setting('CHAOS_LEDGER'));
const redis = new Redis(setting('REDIS_URL'), {
  commandTimeout: TIMEOUT_MS,
  enableOfflineQueue: false,
  retryStrategy: () => EVERY_MS,
});
// It is away now and then: that is what the faults are for.
redis.on('error', () => undefined);
const types = DEFINITIONS.map(({ type }) => ({
  type,
  keys: new TypeKeys(setting('KEY_PREFIX'), type),
  tracker: new HoldTracker(),
}));
const stop = new AbortController();

endWithParent();
process.on('message', () => {
  stop.abort();
});
tellParent('up');
while (!stop.signal.aborted) {
  const began = performance.now();
  // What it sees too little of is judged at the end.
  for (const one of types) await look(one).catch(() => undefined);
  await pause(Math.max(EVERY_MS, RESTS * (performance.now() - began)));
}
for (const { tracker } of types) await write(tracker.end());
tellParent('stopped');

async function look({ type, keys, tracker }: (typeof types)[number]): Promise<void> {
  const replies = await redis
    .multi()
    .time()
    .zrange(keys.leases, '0', '-1', 'WITHSCORES')
    .zrange(keys.running, '0', '-1', 'WITHSCORES')
    .exec();
  // In the order of the commands, each beside its error.
  const [[, time], [, leases], [, running]] = replies as [[null, [number, number]], [null, string[]], [null, string[]]];
  const nowMs = time[0] * 1_000 + Math.floor(time[1] / 1_000);
  const leaseEnds = new Map(pairs(leases).map(([worker, endMs]) => [worker, Math.abs(Number(endMs))]));
  await write(tracker.see(nowMs, leaseEnds, new Map(pairs(running).map(([ulid, worker]) => [`${type}_${ulid}`, worker]))));
}

function pairs(flat: readonly string[]): [string, string][] {
  return Array.from({ length: flat.length / 2 }, (_, index) => [flat[2 * index] ?? '', flat[2 * index + 1] ?? '']);
}

async function write(holds: ReturnType<HoldTracker['end']>): Promise<void> {
  await Promise.all(holds.map((hold) => ledger.write('holds', hold)));
}
