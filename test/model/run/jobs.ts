import type { Command, JobPicks, JobShape } from '../commands/commands.js';
import { cancel, remove, replay } from '../rules/control.js';
import { holderOf } from '../rules/dedupe.js';
import { isFinal, isWaiting, type Job, type Submit } from '../rules/job.js';
import { write } from '../rules/notes.js';
import { submit, type SubmitAnswer } from '../rules/submit.js';
import { must } from '../rules/violation.js';
import { mustEqual, mustNotBeLate, pick } from './answers.js';
import { WINDOW_MS, duration } from './clock.js';
import { laneOf, runOf } from './lanes.js';
import type { Side, World } from './world.js';

const DEDUPE_TTL_MS = duration(25);
const ONCE_TTL_MS = duration(35);

type Of<K extends Command['kind']> = Extract<Command, { kind: K }>;

export async function carryOutSubmit(world: World, { side: at, jobs }: Of<'submit'>): Promise<void> {
  const submits = jobs.map((shape) => submitOf(world, shape));
  const side = world.sides[at];
  side.sent.push(submits);
  await sendSubmits(world, side, submits);
}

/** The answer to a submit was lost, and its sender sends it again, as long after as it likes. */
export async function submitAgain(world: World, { side: at, which }: Of<'submit_again'>): Promise<void> {
  const side = world.sides[at];
  const submits = pick(side.sent, which);
  if (submits !== undefined) await sendSubmits(world, side, submits);
}

function submitOf(world: World, { dedupe, once, ...shape }: JobShape): Submit {
  const ulid = world.newUlid();
  return {
    ...shape,
    ulid,
    payload: `{"of":"${ulid.slice(-4)}"}`,
    traceId: ulid.slice(-8).padStart(32, 'a'),
    dedupe: dedupe && { ...dedupe, ttlMs: dedupe.policy === 'ttl' ? DEDUPE_TTL_MS : 0 },
    once: once && { ...once, ttlMs: ONCE_TTL_MS },
  };
}

async function sendSubmits(world: World, side: Side, submits: readonly Submit[]): Promise<void> {
  await world.step(
    side,
    () => side.engine.submit(submits),
    (answers, now) => {
      mustNotBeLate(answers);
      const expected = submit(side.queue, submits, now);
      mustEqual('the number of answers', answers.length, expected.length);
      answers.forEach((answer, index) => {
        mustEqual(`the submit of ${submits[index]?.ulid ?? ''}`, timeless(answer), expected[index] && timeless(expected[index]));
        if (answer.kind === 'accepted')
          must(answer.createdAt >= now && answer.createdAt <= now + WINDOW_MS, 'a job is of another time');
      });
    },
  );
}

/** When the job was created is compared where it is recorded. */
function timeless(answer: SubmitAnswer): unknown {
  if (answer.kind === 'accepted') return { ...answer, createdAt: undefined };
  if (answer.kind !== 'once') return answer;
  const { accepted, ulid, job } = answer.answer;
  return { kind: 'once', accepted, ulid, job: job && [job.status, job.traceId] };
}

export async function carryOutCancel(world: World, plan: Of<'cancel'>): Promise<void> {
  const { side, ulids } = picked(world, plan);
  await world.step(
    side,
    () => side.engine.cancel(ulids),
    (answer, now) => {
      mustEqual('a cancel', answer, cancel(side.queue, ulids, now));
    },
  );
}

export async function carryOutReplay(world: World, plan: Of<'replay'>): Promise<void> {
  const { side, ulids } = picked(world, plan);
  const replays = ulids.flatMap((ulid) => {
    const job = side.queue.jobs.get(ulid);
    const edited = plan.edit && job !== undefined ? { payload: `{"edited":${job.replays}}`, version: 2 } : undefined;
    return job === undefined ? [] : [{ ulid, submit: job.submit, edited }];
  });
  if (replays.length === 0) return;
  await world.step(
    side,
    () => side.engine.replay(replays),
    (answer, now) => {
      mustEqual('a replay', answer, replay(side.queue, replays, now));
    },
  );
}

export async function carryOutRemove(world: World, plan: Of<'remove'>): Promise<void> {
  const { side, ulids } = picked(world, plan);
  await world.step(
    side,
    () => side.engine.remove(ulids),
    (answer) => {
      mustEqual('a remove', answer, remove(side.queue, ulids));
    },
  );
}

/** Jobs, no two the same; one that is unknown where there are none. */
function picked(world: World, { side: at, among, jobs }: JobPicks): { readonly side: Side; readonly ulids: readonly string[] } {
  const side = world.sides[at];
  const fits: Record<JobPicks['among'], (job: Job) => boolean> = {
    waiting: isWaiting,
    retrying: ({ status }) => status === 'retrying',
    running: ({ status }) => status === 'processing',
    finished: isFinal,
    succeeded: ({ status }) => status === 'succeeded',
    failed: ({ status }) => status === 'failed',
    any: () => true,
  };
  const all = [...side.queue.jobs.values()];
  const fitting = all.filter(fits[among]);
  const found = (fitting.length > 0 ? fitting : all).map(({ submit: { ulid } }) => ulid);
  return { side, ulids: [...new Set(jobs.map((number) => pick(found, number) ?? '01M0DE10000000000000000000'))] };
}

export async function carryOutWrite(world: World, { side: at, worker, notes: plans }: Of<'write'>): Promise<void> {
  const { side, memory } = laneOf(world, { side: at, worker });
  const notes = plans.flatMap(({ kind, json, ...run }) => {
    const found = runOf(side, memory, run);
    return found === undefined ? [] : [{ ...found, kind, json }];
  });
  if (notes.length === 0) return;
  await world.step(
    side,
    () => side.engine.write(notes),
    (answer, now) => {
      mustEqual('notes', answer, write(side.queue, notes, now));
    },
  );
}

/** Reads change nothing and say what is; an audit finds no job that stands in no structure. */
export async function look(world: World, { side: at, job: number }: Of<'look'>): Promise<void> {
  const side = world.sides[at];
  const job = pick([...side.queue.jobs.values()], number);
  const key = pick([...side.queue.takers.keys()], number);
  await world.step(
    side,
    () => side.engine.counts(),
    (counts) => {
      const expected: Record<string, number> = Object.fromEntries(Object.keys(counts).map((status) => [status, 0]));
      for (const { status } of side.queue.jobs.values()) expected[status] = (expected[status] ?? 0) + 1;
      mustEqual('counts', counts, expected);
    },
  );
  await world.step(
    side,
    () => side.engine.audit([...side.queue.jobs.keys()]),
    (relisted) => {
      mustEqual('jobs that were listed again', relisted, []);
    },
  );
  if (job !== undefined) {
    const { ulid } = job.submit;
    await world.step(
      side,
      () => side.engine.read(ulid),
      (answer) => {
        mustNotBeLate(answer);
        mustEqual(`a read of ${ulid}`, [answer?.record.revision, answer?.parked], [job.revision, side.queue.parked.has(ulid)]);
      },
    );
  }
  if (key !== undefined) {
    await world.step(
      side,
      () => side.engine.holder(key),
      (answer, now) => {
        mustEqual(`the holder of ${key}`, answer, holderOf(side.queue, key, now));
      },
    );
  }
}
