import type { JobStatus } from '@antrean/jobs';
import type { JobEvent } from '../../libs/jobs/src/definition/job-status.js';
import type { ExchangeReply, Settle } from '../../libs/jobs/src/store/exchange.js';
import type { JobRecord } from '../../libs/jobs/src/store/record.js';
import type { Command, LaneOf, SettlePlan } from './queue-commands.js';
import type { QueueView } from './queue-view.js';
import type { CallPlan, StoredQueue, StoredWorker } from './stored-queue.js';

/** What a command says it did to a job: the event, or `sweep`, and where the job went if it may not be kept. */
export interface Effect {
  readonly event: JobEvent | 'sweep';
  readonly endedAs?: JobStatus;
}

/** By ulid; `nothing`: the whole queue must be as it was. */
export type Effects = ReadonlyMap<string, Effect> | 'nothing';

interface Call {
  readonly plan: CallPlan & { readonly call: number; readonly settles: readonly Settle[] };
  readonly reply: ExchangeReply;
}

/** Two workers of two lanes, which call, call again, and call late; and what each call must answer. */
export class ExchangeDriver {
  readonly workers: readonly StoredWorker[];
  /** All tokens that each job was ever claimed with. */
  private readonly grants = new Map<string, Buffer[]>();
  private readonly lastCalls = new Map<string, Call>();

  constructor(queue: StoredQueue) {
    this.workers = [queue.newWorker(), queue.newWorker()];
  }

  async exchange(view: QueueView, command: Extract<Command, { kind: 'exchange' }>): Promise<Effects> {
    const { lane, want, keep } = command;
    const worker = this.workerOf(command);
    const settles = this.settlesOf(command.settles, view);
    const queuedBefore = [...view.jobs.values()].filter(({ record }) => record.status === 'queued').length;
    const plan = { lane, want, keepFinished: keep, keepFailed: keep, settles, call: worker.lastCall(lane) + 1 };
    const reply = await worker.exchange(plan);
    this.lastCalls.set(laneName(worker, lane), { plan, reply });

    expect(reply.settled).toEqual(settles.map((settle) => expectedAnswer(settle, view)));
    expect(reply.claimed).toHaveLength(want === 'pass_on' ? 0 : Math.min(want, queuedBefore));
    expect(reply.idle).toBe(want !== 'pass_on' && reply.claimed.length < want);

    const effects = new Map<string, Effect>();
    settles.forEach(({ ulid, settlement }, index) => {
      const answer = reply.settled[index];
      if (answer !== undefined && answer !== 'stale' && answer !== 'unknown') {
        effects.set(ulid, { event: settlement.event, endedAs: answer });
      }
    });
    for (const { ulid, token, record } of reply.claimed) {
      expect(record).toMatchObject({ status: 'processing', workerNumber: worker.number, token });
      this.grants.set(ulid, [...(this.grants.get(ulid) ?? []), token]);
      effects.set(ulid, { event: 'claim' });
    }
    return effects;
  }

  /** The answer to the lane's latest call was lost: the worker sends it again, to the letter. */
  async again(view: QueueView, laneOf: LaneOf): Promise<Effects> {
    const worker = this.workerOf(laneOf);
    const last = this.lastCalls.get(laneName(worker, laneOf.lane));
    // Reaping forgets a worker's lanes, and the same call would be a new one.
    if (last === undefined || !knowsLane(view, worker, laneOf.lane)) return 'nothing';
    const reply = await worker.exchange(last.plan);
    expect(reply.settled).toEqual(last.plan.settles.map(() => 'unknown'));
    const stillHeld = last.reply.claimed.filter(({ ulid, token }) => isLive(view.jobs.get(ulid)?.record, token));
    expect(new Map(reply.claimed.map((job) => [job.ulid, job]))).toEqual(new Map(stillHeld.map((job) => [job.ulid, job])));
    return 'nothing';
  }

  /** A call that was overtaken by the next one of its lane arrives. */
  async late(view: QueueView, laneOf: LaneOf): Promise<Effects> {
    const worker = this.workerOf(laneOf);
    const last = this.lastCalls.get(laneName(worker, laneOf.lane));
    if (last === undefined || last.plan.call === 1 || !knowsLane(view, worker, laneOf.lane)) return 'nothing';
    await expect(worker.exchange({ ...last.plan, call: last.plan.call - 1 })).rejects.toThrow(/^STALE /);
    return 'nothing';
  }

  private settlesOf(plans: readonly SettlePlan[], view: QueueView): Settle[] {
    const claimed = [...this.grants.keys()];
    const running = claimed.filter((ulid) => view.jobs.get(ulid)?.record.status === 'processing');
    const settles = new Map<string, Settle>();
    for (const { of, job, token, settlement } of plans) {
      const among = of === 'running' ? running : claimed;
      const ulid = among[job % among.length];
      const shown = ulid === undefined ? undefined : this.grants.get(ulid)?.at(token === 'first' ? 0 : -1);
      if (ulid !== undefined && shown !== undefined) settles.set(ulid, { ulid, token: shown, settlement });
    }
    return [...settles.values()];
  }

  private workerOf({ worker }: LaneOf): StoredWorker {
    const found = this.workers[worker];
    if (found === undefined) throw new Error(`There is no worker ${worker}.`);
    return found;
  }
}

const laneName = (worker: StoredWorker, lane: number): string => `${worker.number}:${lane}`;

function knowsLane(view: QueueView, worker: StoredWorker, lane: number): boolean {
  return view.structures['lanes']?.includes(laneName(worker, lane)) === true;
}

function isLive(record: JobRecord | undefined, token: Buffer): boolean {
  return record?.status === 'processing' && record.token.equals(token);
}

/** What the store must answer to a settle, by the job as it was before. */
function expectedAnswer({ ulid, token, settlement }: Settle, view: QueueView): JobStatus | 'stale' {
  const record = view.jobs.get(ulid)?.record;
  if (record === undefined || !isLive(record, token)) return 'stale';
  switch (settlement.event) {
    case 'succeed':
      return 'succeeded';
    case 'bury':
      return 'failed';
    case 'retry':
      return record.attempt < record.maxAttempts ? 'retrying' : 'failed';
    case 'snooze':
      return 'scheduled';
    case 'hand_back':
      return settlement.delayMs > 0 ? 'scheduled' : 'queued';
  }
}
