import type { QueueView } from '../../support/queue-view.js';
import type { ExchangePlan, OnLane, RunPick, SettlePlan } from '../commands/commands.js';
import { exchange, reconcile, tellsAnother, tokenOf, type Call } from '../rules/exchange.js';
import type { Token } from '../rules/job.js';
import type { Settle } from '../rules/settle.js';
import { nextDueAt } from '../rules/time.js';
import { must } from '../rules/violation.js';
import { mustBeDueIn, mustEqual, pick } from './answers.js';
import { WINDOW_MS } from './clock.js';
import { hear, type Memory, type TestWorker } from './worker.js';
import { LATE, type Side, type World } from './world.js';

/** Any plan for a call fits: what it leaves out is plain. */
export type CallPlan = Partial<Pick<Call, 'want' | 'suspects' | 'version' | 'keep' | 'settles'>> & { readonly gap?: number };

/** Sends the next call of a lane and hears the answer. What was claimed. */
export async function callNext(
  world: World,
  at: 0 | 1,
  worker: TestWorker,
  lane: 0 | 1,
  plan: CallPlan,
): Promise<readonly string[]> {
  const memory = worker.of(at);
  const call = numbered(worker, memory, lane, plan);
  const claimed = await send(world, world.sides[at], call);
  hear(memory, call, claimed);
  return claimed;
}

function numbered(worker: TestWorker, memory: Memory, lane: 0 | 1, { gap = 0, ...plan }: CallPlan): Call {
  const state = memory.lanes[lane];
  state.number += 1 + gap;
  const call: Call = {
    worker: worker.number,
    lane,
    number: state.number,
    want: 0,
    suspects: true,
    version: worker.version,
    keep: { finished: true, failed: true },
    settles: [],
    ...plan,
  };
  state.sent.push(call);
  return call;
}

/** Puts a call to the engine. What was claimed; nothing when it came late. */
async function send(world: World, side: Side, call: Call): Promise<readonly string[]> {
  let claimed: readonly string[] = [];
  await world.step(
    side,
    () => side.engine.exchange(call),
    (answer, now, view) => {
      const expected = exchange(side.queue, call, now);
      if (expected.kind === 'refused') {
        must(answer === LATE, `call ${tokenOf(call)} came late and was not refused`);
        return;
      }
      must(answer !== LATE, `call ${tokenOf(call)} was refused as late`);
      const { settled, idle, nextDueInMs, unreadable, suspectsWait } = answer;
      mustEqual('settles', settled, expected.settled);
      const ulids = answer.claimed.map(({ ulid }) => ulid);
      const inOrder = (list: readonly string[]): readonly string[] => (expected.kind === 'again' ? list.toSorted() : list);
      mustEqual('a claim', inOrder(ulids), inOrder(expected.claimed));
      mustEqual('what cannot be read', unreadable, []);
      mustEqual('whether the worker waits', idle, expected.idle);
      if (call.suspects || call.want === 0) must(!suspectsWait, 'suspects are said to wait that were asked for');
      else if (expected.kind === 'answered' && typeof call.want === 'number') {
        mustEqual('whether suspects wait', suspectsWait, side.queue.suspects.length > 0);
      }
      if (idle) must((view.sets.get('idle')?.get(call.worker) ?? -1) >= 0, 'a worker waits and is not registered for it');
      for (const { ulid, status, payload } of answer.claimed) {
        mustEqual(`the claimed job ${ulid}`, [status, payload], ['processing', side.queue.jobs.get(ulid)?.payload]);
        if (expected.kind === 'answered') side.grants.set(ulid, [...(side.grants.get(ulid) ?? []), tokenOf(call)]);
      }
      const isDueAt = nextDueAt(side.queue);
      mustBeDueIn('the next waiting job', nextDueInMs, isDueAt, now);
      if (expected.kind === 'answered' && tellsAnother(call, less(expected.wasDueAt, WINDOW_MS), isDueAt, now)) {
        world.tally.saw(call.want === 'leave' ? 'a time told by who leaves' : 'a new first time told');
        mustHaveBeenTried(view, call.worker);
      }
      claimed = ulids;
    },
  );
  return claimed;
}

/** Two times of the model that lie so near to each other may be in the other order. */
const less = (at: number | undefined, ms: number): number | undefined => (at === undefined ? undefined : at - ms);

/** Nobody hears a wake-up in this test, so that none is left who was not tried. */
function mustHaveBeenTried({ sets }: QueueView, butFor: string): void {
  for (const [worker, score] of sets.get('idle') ?? []) {
    must(score < 0 || worker === butFor, `${worker} waits to be woken and was not told of a time`);
  }
}

export async function carryOutExchange(world: World, plan: ExchangePlan): Promise<void> {
  const { worker, memory, side } = laneOf(world, plan);
  // One call at a time: one whose answer is still out is sent again first.
  if (memory.lanes[plan.lane].waiting) await again(world, plan);
  const { want, suspects, keep, gap } = plan;
  const call = numbered(worker, memory, plan.lane, { want, suspects, keep, gap, settles: settlesOf(side, memory, plan.settles) });
  const claimed = await send(world, side, call);
  if (plan.answerLost) memory.lanes[plan.lane].waiting = true;
  else hear(memory, call, claimed);
}

/** The last call of a lane comes a second time: because its answer was lost, or because the network doubled it. */
export async function again(world: World, on: OnLane): Promise<void> {
  const { memory, side } = laneOf(world, on);
  const lane = memory.lanes[on.lane];
  const call = lane.sent.at(-1);
  // After a reconcile the worker sends none of its earlier calls again.
  if (call === undefined || call.number < lane.number) return;
  const claimed = await send(world, side, call);
  if (lane.waiting) hear(memory, call, claimed);
}

/** A call arrives that was overtaken by later ones. Nobody waits for its answer. */
export async function arriveLate(world: World, on: OnLane & { readonly which: number }): Promise<void> {
  const { memory, side } = laneOf(world, on);
  const { sent } = memory.lanes[on.lane];
  const call = pick(sent.slice(0, -1), on.which);
  if (call !== undefined) await send(world, side, call);
}

/** The worker asks what it runs in the engine's eyes, hands back what it does not know, and lets go of the rest. */
export async function carryOutReconcile(world: World, on: OnLane & { readonly page: number }): Promise<void> {
  const { worker, memory } = laneOf(world, on);
  const listed = new Map<string, Token>();
  for (let after: string | undefined = ''; after !== undefined;) {
    const page: Page = await listPage(world, on, after);
    after = page.next;
    for (const [ulid, token] of page.held) listed.set(ulid, token);
  }
  memory.lanes[on.lane].waiting = false;
  const unknown = [...listed].filter(([ulid, token]) => memory.holds.get(ulid) !== token);
  const gone = [...memory.holds].filter(([ulid, token]) => listed.get(ulid) !== token);
  if (world.rolledBack && unknown.length + gone.length > 0) world.tally.saw('rollback reconciled');
  for (const [ulid] of gone) memory.holds.delete(ulid);
  if (unknown.length === 0) return;
  const settles = unknown.map(([ulid, token]): Settle => ({ ulid, token, ending: { event: 'hand_back', delayMs: 0 } }));
  await callNext(world, on.side, worker, on.lane, { settles });
}

interface Page {
  readonly next: string | undefined;
  readonly held: readonly (readonly [string, Token])[];
}

async function listPage(world: World, on: OnLane & { readonly page: number }, after: string): Promise<Page> {
  const { worker, memory, side } = laneOf(world, on);
  const lane = memory.lanes[on.lane];
  lane.number += 1;
  const call = { worker: worker.number, lane: on.lane, number: lane.number };
  let page: Page = { next: undefined, held: [] };
  await world.step(
    side,
    () => side.engine.reconcile(call, after, on.page),
    (answer) => {
      const expected = reconcile(side.queue, call);
      must(expected.kind === 'answered' && answer !== LATE, 'a reconcile was refused');
      const rest = [...expected.held.keys()].filter((ulid) => ulid > after).sort();
      const ulids = answer.held.map(([ulid]) => ulid);
      mustEqual('the jobs listed', ulids.join(), rest.slice(0, on.page).join());
      mustEqual('where the next page begins', answer.next, rest.length > on.page ? ulids.at(-1) : undefined);
      for (const [ulid, token] of answer.held) mustEqual(`the token of ${ulid}`, token, expected.held.get(ulid));
      page = answer;
    },
  );
  return page;
}

function settlesOf(side: Side, memory: Memory, plans: readonly SettlePlan[]): Settle[] {
  return plans.flatMap(({ ending, twice, ...run }) => {
    const found = runOf(side, memory, run);
    if (found === undefined) return [];
    return twice
      ? [
          { ...found, ending },
          { ...found, ending },
        ]
      : [{ ...found, ending }];
  });
}

/** The run that a pick means, and the token that is shown for it; undefined when there is none to pick. */
export function runOf(side: Side, memory: Memory, { among, job, token }: RunPick): { ulid: string; token: Token } | undefined {
  const running = [...side.queue.jobs.values()].filter(({ status }) => status === 'processing');
  const ulids = {
    // Who holds none settles others' runs, as a reaper does.
    held: memory.holds.size > 0 ? [...memory.holds.keys()] : running.map(({ submit }) => submit.ulid),
    running: running.map(({ submit }) => submit.ulid),
    ever: [...side.grants.keys()],
  }[among];
  const ulid = pick(ulids, job);
  if (ulid === undefined) return undefined;
  const tokens = side.grants.get(ulid) ?? [];
  const shown = token === 'older' ? tokens.at(-2) : (memory.holds.get(ulid) ?? side.queue.jobs.get(ulid)?.token ?? tokens.at(-1));
  return shown === undefined ? undefined : { ulid, token: shown };
}

export function laneOf(
  world: World,
  { side, worker }: Pick<OnLane, 'side' | 'worker'>,
): { readonly worker: TestWorker; readonly memory: Memory; readonly side: Side } {
  const found = pick(world.workers, worker);
  if (found === undefined) throw new Error(`There is no worker ${worker}.`);
  return { worker: found, memory: found.of(side), side: world.sides[side] };
}
