import type { Command } from '../commands/commands.js';
import { crashOverdue, heartbeat, overdue, reap, type BlockedCrash } from '../rules/lease.js';
import { doubt, forgetGone, sweep } from '../rules/retention.js';
import type { Keep, Settle } from '../rules/settle.js';
import type { Status } from '../rules/job.js';
import { nextDueAt, promote } from '../rules/time.js';
import { must } from '../rules/violation.js';
import { mustBeDueIn, mustEqual, mustNotBeLate } from './answers.js';
import { duration } from './clock.js';
import { callNext, laneOf } from './lanes.js';
import type { TestWorker } from './worker.js';
import type { Side, World } from './world.js';

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

const RETENTION_MS = duration(60);
const DEAD_RETENTION_MS = duration(120);
const KEEP: Keep = { finished: true, failed: true };
const CRASH_ERRORS = { crashError: '{"name":"Crash"}', poisonError: '{"name":"Poison"}' };
const TIMED_OUT = '{"name":"TimeoutError"}';

export async function carryOutHeartbeat(world: World, plan: Of<'heartbeat'>): Promise<void> {
  world.clock.forward(plan.afterSteps);
  const { worker, side } = laneOf(world, plan);
  await world.step(
    side,
    () => side.engine.heartbeat(worker.number),
    (pulse, now) => {
      mustNotBeLate(pulse);
      mustEqual('a heartbeat', pulse.held, heartbeat(side.queue, worker.number, now));
      if (pulse.held === undefined) return;
      const toStop = [...side.queue.jobs.values()].filter(
        ({ status, cancelAskedAt }) => status === 'processing' && cancelAskedAt !== 0,
      );
      mustEqual('jobs to stop', pulse.cancels.toSorted(), toStop.map(({ submit }) => submit.ulid).sort());
    },
  );
}

/** The heartbeat thread finds runs past their hard limit and settles them, whatever their handlers do. */
export async function settleOverdue(world: World, plan: Of<'overdue'>): Promise<void> {
  world.clock.forward(plan.afterSteps);
  const { worker, side } = laneOf(world, plan);
  let found: string[] = [];
  await world.step(
    side,
    () => side.engine.overdue(worker.number),
    (answer, now) => {
      mustNotBeLate(answer);
      found = answer.toSorted();
      mustEqual('overdue runs', found, overdue(side.queue, worker.number, now).sort());
    },
  );
  if (found.length === 0) return;
  world.tally.saw('overdue');
  await settleTimedOut(world, plan.side, worker, found);
}

/** As {@link settleOverdue}, where the process has several runs: any of them may be what blocks it. */
export async function takeOverdue(world: World, plan: Of<'blocked'>): Promise<void> {
  world.clock.forward(plan.afterSteps);
  const { worker, side } = laneOf(world, plan);
  const call: BlockedCrash = { keep: plan.keep, blameShared: plan.blameShared, ...CRASH_ERRORS };
  await world.step(
    side,
    () => side.engine.crashOverdue(worker.number, call),
    (answer, now) => {
      mustNotBeLate(answer);
      const taken = crashOverdue(side.queue, worker.number, call, now);
      mustEqual('the runs taken from a blocked worker', answer.taken.toSorted(), taken);
      mustTellStatuses(side, answer);
    },
  );
}

/** Of those jobs that are still there. */
function mustTellStatuses(
  { queue }: Side,
  { taken, statuses }: { readonly taken: readonly string[]; readonly statuses: readonly Status[] },
): void {
  taken.forEach((ulid, index) => {
    const job = queue.jobs.get(ulid);
    if (job !== undefined) mustEqual(`the new status of ${ulid}`, statuses[index], job.status);
  });
}

async function settleTimedOut(world: World, at: 0 | 1, by: TestWorker, ulids: readonly string[]): Promise<void> {
  const { queue } = world.sides[at];
  const settles = ulids.map((ulid): Settle => {
    const ending = { event: 'retry', outcome: 'timed_out', delayMs: 0, error: TIMED_OUT } as const;
    return { ulid, token: queue.jobs.get(ulid)?.token ?? '', ending };
  });
  await callNext(world, at, by, 0, { settles });
}

export async function carryOutReap(world: World, { side, afterSteps, limit, keep, settle, beats }: Of<'reap'>): Promise<void> {
  world.clock.forward(afterSteps);
  const reaped = await reapOnce(world, side, { limit, keep, settle });
  const worker = world.workers.findIndex(({ number }) => number === reaped);
  if (beats && worker >= 0) await carryOutHeartbeat(world, { kind: 'heartbeat', side, worker, afterSteps: 0 });
}

/** The worker that was reaped, in part or all; undefined when nobody's lease was over. */
export async function reapOnce(
  world: World,
  at: 0 | 1,
  { limit = 50, keep = KEEP, settle = true }: { readonly limit?: number; readonly keep?: Keep; readonly settle?: boolean } = {},
): Promise<string | undefined> {
  const side = world.sides[at];
  const call = { limit, keep, ...CRASH_ERRORS };
  let timedOut: readonly string[] = [];
  let reaped: string | undefined;
  await world.step(
    side,
    () => side.engine.reap(call),
    (reply, now) => {
      mustNotBeLate(reply);
      reap(side.queue, call, reply.answer, now);
      mustTellStatuses(side, { taken: reply.answer.taken, statuses: reply.statuses });
      const ends = [...side.queue.leases.values()].map(({ endsAt, beingReaped }) => (beingReaped ? 0 : endsAt));
      mustBeDueIn('the next end of a lease', reply.nextEndInMs, ends.length === 0 ? undefined : Math.min(...ends), now);
      timedOut = reply.answer.timedOut;
      reaped = reply.answer.worker;
    },
  );
  const by = world.workers[0];
  if (settle && timedOut.length > 0 && by !== undefined) await settleTimedOut(world, at, by, timedOut);
  return reaped;
}

export async function carryOutPromote(world: World, { side: at, afterSteps, limit, keep }: Of<'promote'>): Promise<void> {
  world.clock.forward(afterSteps);
  await promoteOnce(world, at, limit, keep);
}

export async function promoteOnce(world: World, at: 0 | 1, limit = 50, keepFinished = true): Promise<void> {
  const side = world.sides[at];
  await world.step(
    side,
    () => side.engine.promote({ limit, keepFinished }),
    (reply, now) => {
      mustNotBeLate(reply);
      promote(side.queue, { limit, keepFinished }, reply.moved, now);
      reply.moved.forEach((ulid, index) => {
        mustEqual(`the new status of ${ulid}`, reply.statuses[index], side.queue.jobs.get(ulid)?.status ?? 'expired');
      });
      mustBeDueIn('the next waiting job', reply.nextDueInMs, nextDueAt(side.queue), now);
    },
  );
}

export async function carryOutSweep(world: World, { side: at, afterSteps, limit, maxFailed }: Of<'sweep'>): Promise<void> {
  world.clock.forward(afterSteps);
  await sweepOnce(world, at, limit, maxFailed);
}

export async function sweepOnce(world: World, at: 0 | 1, limit: number, maxFailed: number): Promise<void> {
  const side = world.sides[at];
  const call = { retentionMs: RETENTION_MS, deadRetentionMs: DEAD_RETENTION_MS, limit, maxFailed };
  await world.step(
    side,
    () => side.engine.sweep(call),
    (answer, now, view) => {
      mustNotBeLate(answer);
      const gone = new Set([...side.queue.jobs.keys()].filter((ulid) => !view.jobs.has(ulid)));
      mustEqual('the number of jobs swept', answer.removed, gone.size);
      sweep(side.queue, call, gone, now);
      const stillIdle = view.sets.get('idle');
      const forgotten = [...side.queue.idle].filter(([worker, { since }]) => since !== 0 && stillIdle?.has(worker) !== true);
      forgetGone(side.queue, new Set(forgotten.map(([worker]) => worker)), now);
      const unheard = [...(stillIdle ?? [])].filter(
        ([worker, score]) => score < 0 && (side.queue.idle.get(worker)?.since ?? 0) === 0,
      );
      // One that is to be told last may have been told in vain before.
      doubt(side.queue, new Set(unheard.map(([worker]) => worker)), now);
      const due = (['succeeded', 'failed', 'cancelled', 'expired'] as const).flatMap((status) =>
        side.queue
          .finished(status)
          .map(({ finishedAt }) => finishedAt + (status === 'failed' ? DEAD_RETENTION_MS : RETENTION_MS)),
      );
      mustBeDueIn('the next sweep', answer.nextDueInMs, due.length === 0 ? undefined : Math.min(...due), now);
      must(answer.removed <= limit, 'more was swept than was asked for');
    },
  );
}

/** Nobody hears a wake-up in this test, so nobody comes, and all but who waits to be woken stays as it was. */
export async function carryOutRouse(world: World, { side: at }: Of<'rouse'>): Promise<void> {
  const side = world.sides[at];
  await world.step(
    side,
    () => side.engine.rouse(),
    (answer) => {
      mustEqual('whether a worker was woken', answer, false);
    },
  );
}
