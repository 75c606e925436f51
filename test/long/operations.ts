import { audit, MAX_JOBS_PER_AUDIT } from '../../libs/jobs/src/store/audit.js';
import { MAX_JOBS_PER_CALL } from '../../libs/jobs/src/store/bounds.js';
import { cancel } from '../../libs/jobs/src/store/cancel.js';
import { census } from '../../libs/jobs/src/store/census.js';
import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import type { Claimed, Settlement } from '../../libs/jobs/src/store/exchange.js';
import { failedWithin } from '../../libs/jobs/src/store/failed-within.js';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { readIndex } from '../../libs/jobs/src/store/job-index.js';
import { note, type Note } from '../../libs/jobs/src/store/note.js';
import { overdue } from '../../libs/jobs/src/store/overdue.js';
import { announce, presentWorkers } from '../../libs/jobs/src/store/presence.js';
import { reconcile } from '../../libs/jobs/src/store/reconcile.js';
import { remove } from '../../libs/jobs/src/store/remove.js';
import { replay } from '../../libs/jobs/src/store/replay.js';
import { takeSweepTurn } from '../../libs/jobs/src/store/take-turn.js';
import { LEASE_MS, type CallPlan, type JobPlan, type StoredWorker } from '../support/stored-queue.js';
import type { LargeQueue } from './large-queue.js';
import type { Operation } from './slowest-call.js';

const BATCH = MAX_JOBS_PER_CALL;
const CALLS = 5;
const ERROR_JSON = JSON.stringify({ name: 'Error', code: 'error', message: 'x'.repeat(200) });
const RESULT_JSON = JSON.stringify({ text: 'x'.repeat(100) });
const HOUR = 3_600_000;

const SETTLEMENTS: Readonly<Record<string, Settlement>> = {
  succeed: { event: 'succeed', json: RESULT_JSON },
  retry: { event: 'retry', outcome: 'failed', delayMs: HOUR, json: ERROR_JSON },
  bury: { event: 'bury', outcome: 'failed', json: ERROR_JSON },
  snooze: { event: 'snooze', delayMs: HOUR, json: ERROR_JSON },
  'hand back': { event: 'hand_back', delayMs: 0 },
  'put off': { event: 'hand_back', delayMs: HOUR },
};

/** With all that makes a submit dear: dedupe key, once key, deadline, options. */
function fullPlan(): JobPlan {
  const key = `key ${Math.random()}`;
  return {
    dedupe: { policy: 'until_finished', key },
    once: { key, hash: 'ab'.repeat(16), ttlMs: HOUR },
    expiresInMs: HOUR,
    facts: { requestId: 'r'.repeat(36), userId: 'u'.repeat(20), tags: ['one', 'two'], metadata: { a: 'b' } },
  };
}

/** Every script, at the largest batch that its caller gives it, and as it is called for one job. */
export function operationsOn(queue: LargeQueue): readonly Operation[] {
  const { store } = queue;
  const { link, type } = store;
  return [
    ...submits(queue),
    ...exchanges(queue),
    ...upkeep(queue),
    ...control(queue),
    ...looks(queue),
    one('say that a worker is there', () => {
      const about = { label: 'a host 1', types: { [type]: 1 } };
      return Promise.resolve(() => announce(link, store.newWorker().identity.number, about, LEASE_MS));
    }),
    one('list the workers, 100 of them', async () => {
      for (let i = 0; i < 100; i += 1) await announce(link, BigInt(i), { label: `host ${i}`, types: { [type]: 1 } }, LEASE_MS);
      return () => presentWorkers(link);
    }),
    many(`census of ${BATCH}`, async () => {
      const ulids = await queue.add(BATCH);
      return () => census(link, type, ulids);
    }),
    one('take a turn', () => Promise.resolve(() => takeSweepTurn(link, HOUR))),
  ];
}

function submits(queue: LargeQueue): readonly Operation[] {
  const submit = (count: number, plan: () => JobPlan) => () => {
    const jobs = Array.from({ length: count }, () => queue.store.newJob(queue.plan(plan())));
    return Promise.resolve(() => queue.store.enqueue(jobs));
  };
  return [
    one(
      'enqueue 1',
      submit(1, () => ({})),
    ),
    many(
      `enqueue ${BATCH}`,
      submit(BATCH, () => ({})),
    ),
    many(`enqueue ${BATCH} with keys, deadline and options`, submit(BATCH, fullPlan)),
    many(
      `enqueue ${BATCH} for later`,
      submit(BATCH, () => ({ when: { delayMs: HOUR } })),
    ),
  ];
}

function exchanges(queue: LargeQueue): readonly Operation[] {
  const call = (plan: CallPlan, settlement?: Settlement, jobs?: JobPlan) => async () => {
    const worker = queue.store.newWorker();
    const claimed = settlement === undefined ? [] : await claim(queue, worker, jobs);
    const settles = claimed.map(({ ulid, token }) => ({ ulid, token, settlement: settlement ?? fail() }));
    return () => worker.exchange({ ...plan, settles });
  };
  const succeed: Settlement = { event: 'succeed', json: RESULT_JSON };
  return [
    many(`exchange: claim ${BATCH}`, call({ want: BATCH })),
    many(`exchange: settle ${BATCH}, claim ${BATCH}`, call({ want: BATCH }, succeed)),
    ...Object.entries(SETTLEMENTS).map(([name, settlement]) => many(`exchange: ${name} ${BATCH}`, call({ want: 0 }, settlement))),
    many(`exchange: succeed ${BATCH}, none kept`, call({ want: 0, keepFinished: false }, succeed)),
    many(`exchange: settle ${BATCH} with keys and deadline, claim ${BATCH}`, call({ want: BATCH }, succeed, fullPlan())),
    many(`exchange: the same call again, ${BATCH} jobs`, async () => {
      const worker = queue.store.newWorker();
      await claim(queue, worker);
      return () => worker.exchange({ want: BATCH, call: worker.lastCall() });
    }),
    many(`exchange: pass over ${BATCH} ghosts`, async () => {
      const ulids = await queue.add(BATCH, { priority: 9 });
      await cancel(queue.store.link, queue.store.type, ulids);
      return () => queue.store.newWorker().exchange({ want: BATCH });
    }),
    many(`exchange: park ${BATCH}`, async () => {
      await queue.add(BATCH, { priority: 9, payloadVersion: 2 });
      return () => queue.store.newWorker().exchange({ want: BATCH });
    }),
    many(`exchange: claim ${BATCH} that were parked`, () =>
      Promise.resolve(() => queue.store.newWorker().exchange({ want: BATCH, version: 2 })),
    ),
    many(`exchange: let ${BATCH} expire`, async () => {
      await queue.add(BATCH, { priority: 9, expiresInMs: 1 });
      await queue.store.moveClock(10);
      return () => queue.store.newWorker().exchange({ want: BATCH });
    }),
  ];
}

function upkeep(queue: LargeQueue): readonly Operation[] {
  const { store } = queue;
  const lost =
    (more?: JobPlan, afterMs = 0) =>
    async () => {
      await store.moveClock(0);
      const worker = store.newWorker();
      await claim(queue, worker, more);
      if (afterMs > 0) {
        await store.moveClock(afterMs);
        await heartbeat(store.link, store.type, worker.identity.number, LEASE_MS);
      }
      await store.moveClock(afterMs + LEASE_MS + 1);
      return () => store.reap({ graceMs: 0 });
    };
  return [
    many(`promote ${BATCH}`, async () => {
      await queue.add(BATCH, { when: { delayMs: 1 } });
      await store.moveClock(100);
      return () => store.promote();
    }),
    many(`promote: let ${BATCH} expire`, async () => {
      await queue.add(BATCH, { expiresInMs: 1 });
      await store.moveClock(100);
      return () => store.promote();
    }),
    many(`reap ${BATCH}`, lost()),
    many(`reap ${BATCH} with keys and deadline`, lost(fullPlan())),
    many(`reap ${BATCH} past their limit`, lost({ timeoutMs: 1 }, 10)),
    many(`crash ${BATCH} of a blocked worker`, async () => {
      await store.moveClock(0);
      const worker = store.newWorker();
      await claim(queue, worker, { ...fullPlan(), timeoutMs: 1 });
      await store.moveClock(10);
      return () => store.crashOverdue(worker, { graceMs: 0, limit: BATCH });
    }),
    many(`sweep ${BATCH}`, () => Promise.resolve(() => store.sweep(0, 0))),
    many(`sweep ${BATCH} that are too many`, () => Promise.resolve(() => store.sweep(HOUR, HOUR, { maxFailed: 0 }))),
    {
      name: `audit ${MAX_JOBS_PER_AUDIT} in lines of 1,000,000`,
      calls: CALLS,
      jobs: MAX_JOBS_PER_AUDIT,
      prepare: () => {
        const ulids = queue.takeQueued(MAX_JOBS_PER_AUDIT);
        return Promise.resolve(() => audit(store.link, store.type, ulids));
      },
    },
    {
      name: `audit ${MAX_JOBS_PER_AUDIT} in a line of 5,000`,
      calls: CALLS,
      jobs: MAX_JOBS_PER_AUDIT,
      prepare: async () => {
        const line = store.another();
        const ulids = await line.add(Array.from({ length: 5_000 }, () => queue.plan()));
        return () => audit(line.link, line.type, ulids.slice(-MAX_JOBS_PER_AUDIT));
      },
    },
  ];
}

function control(queue: LargeQueue): readonly Operation[] {
  const { link, type } = queue.store;
  const cancelQueued = (count: number) => () => {
    const ulids = queue.takeQueued(count);
    return Promise.resolve(() => cancel(link, type, ulids));
  };
  const replayOf = (status: 'succeeded' | 'failed', count: number) => () => {
    const replays = queue.takeKept(status, count).map((ulid) => ({ ulid, dedupeTtlMs: 0, record: undefined }));
    return Promise.resolve(() => replay(link, type, replays));
  };
  return [
    one('cancel 1 in the middle of its line', cancelQueued(1)),
    many(`cancel ${BATCH} in the middle of their line`, cancelQueued(BATCH)),
    many(`cancel ${BATCH} that run`, async () => {
      const claimed = await claim(queue, queue.store.newWorker());
      return () =>
        cancel(
          link,
          type,
          claimed.map(({ ulid }) => ulid),
        );
    }),
    one('replay 1', replayOf('failed', 1)),
    many(`replay ${BATCH} that failed`, replayOf('failed', BATCH)),
    many(`replay ${BATCH} that succeeded`, replayOf('succeeded', BATCH)),
    many(`remove ${BATCH}`, () => {
      const ulids = queue.takeKept('succeeded', BATCH);
      return Promise.resolve(() => remove(link, type, ulids));
    }),
  ];
}

function looks(queue: LargeQueue): readonly Operation[] {
  const { store } = queue;
  const { link, type } = store;
  const withRunning = (call: (worker: StoredWorker, claimed: readonly Claimed[]) => Promise<unknown>) => async () => {
    const worker = store.newWorker();
    const claimed = await claim(queue, worker);
    return () => call(worker, claimed);
  };
  const notes = (claimed: readonly Claimed[], kind: Note['kind']) =>
    claimed.map(({ ulid, token }): Note => ({ ulid, token, kind, json: RESULT_JSON }));
  const page = { offset: 0, limit: BATCH };
  return [
    one('read', () => {
      const [ulid = ''] = queue.takeQueued(1);
      return Promise.resolve(() => store.read(ulid));
    }),
    one('depth', () => Promise.resolve(() => store.depth())),
    ...(['forwards', 'backwards'] as const).map((order) =>
      many(`page of ${BATCH} that failed, ${order}`, async () => {
        const query = {
          status: 'failed',
          order,
          fromMs: 0,
          toMs: Number.MAX_SAFE_INTEGER,
          after: undefined,
          limit: BATCH,
        } as const;
        const after = (await readIndex(link, type, query)).at(-1);
        return () => readIndex(link, type, { ...query, after });
      }),
    ),
    many(
      `heartbeat of ${BATCH} runs`,
      withRunning((worker) => heartbeat(link, type, worker.identity.number, LEASE_MS)),
    ),
    many(
      `reconcile ${BATCH}`,
      withRunning((worker) =>
        reconcile(link, {
          type,
          workerNumber: worker.identity.number,
          lane: 0,
          call: 2,
          leaseMs: LEASE_MS,
          after: '',
          limit: BATCH,
        }),
      ),
    ),
    ...(['checkpoint', 'progress', 'log', 'step:one'] as const).map((kind) =>
      many(
        `note: ${kind} of ${BATCH}`,
        withRunning((_worker, claimed) => note(link, type, notes(claimed, kind))),
      ),
    ),
    many(
      `overdue ${BATCH}`,
      withRunning((worker) => overdue(link, type, worker.identity.number, { graceMs: -HOUR, ...page })),
    ),
    one('how many failed', () => Promise.resolve(() => failedWithin(link, type, 0, Number.MAX_SAFE_INTEGER))),
    one('who holds a dedupe key', async () => {
      const plan = fullPlan();
      await queue.add(1, plan);
      return () => dedupeHolder(link, type, plan.dedupe?.key ?? '');
    }),
  ];
}

/** A batch of jobs under the worker; those of a plan are put before all others. */
async function claim(queue: LargeQueue, worker: StoredWorker, plan?: JobPlan): Promise<readonly Claimed[]> {
  if (plan !== undefined) {
    const plans = Array.from({ length: BATCH }, () => queue.plan({ ...plan, ...newKeys(plan), priority: 9 }));
    await queue.store.add(plans);
  }
  const { claimed } = await worker.exchange({ want: BATCH });
  if (claimed.length !== BATCH) throw new Error(`${claimed.length} jobs were claimed instead of ${BATCH}.`);
  return claimed;
}

/** Keys are for one job each. */
function newKeys({ dedupe, once }: JobPlan): JobPlan {
  const key = `key ${Math.random()}`;
  return {
    ...(dedupe === undefined ? {} : { dedupe: { ...dedupe, key } }),
    ...(once === undefined ? {} : { once: { ...once, key } }),
  };
}

function fail(): never {
  throw new Error('There is nothing to settle with.');
}

const one = (name: string, prepare: Operation['prepare']): Operation => ({ name, calls: 4 * CALLS, jobs: 1, prepare });
const many = (name: string, prepare: Operation['prepare']): Operation => ({ name, calls: CALLS, jobs: BATCH, prepare });
