import { audit, MAX_JOBS_PER_AUDIT } from '../../../libs/jobs/src/store/audit.js';
import { cancel } from '../../../libs/jobs/src/store/cancel.js';
import { crashOverdue } from '../../../libs/jobs/src/store/crash-overdue.js';
import { dedupeHolder } from '../../../libs/jobs/src/store/dedupe-holder.js';
import { depth } from '../../../libs/jobs/src/store/depth.js';
import { enqueue } from '../../../libs/jobs/src/store/enqueue.js';
import { exchange } from '../../../libs/jobs/src/store/exchange.js';
import { heartbeat } from '../../../libs/jobs/src/store/heartbeat.js';
import type { Link } from '../../../libs/jobs/src/store/link.js';
import { note } from '../../../libs/jobs/src/store/note.js';
import { dropOutgoing, readOutgoing } from '../../../libs/jobs/src/store/outgoing.js';
import { overdue } from '../../../libs/jobs/src/store/overdue.js';
import { promote } from '../../../libs/jobs/src/store/promote.js';
import { read } from '../../../libs/jobs/src/store/read.js';
import { reap } from '../../../libs/jobs/src/store/reap.js';
import { reconcile } from '../../../libs/jobs/src/store/reconcile.js';
import { remove } from '../../../libs/jobs/src/store/remove.js';
import { replay } from '../../../libs/jobs/src/store/replay.js';
import { rouse } from '../../../libs/jobs/src/store/rouse.js';
import { sweep } from '../../../libs/jobs/src/store/sweep.js';
import type { CancelAnswer, Replay, ReplayAnswer } from '../rules/control.js';
import { tokenOf, type Call } from '../rules/exchange.js';
import type { Status, Submit } from '../rules/job.js';
import type { BlockedCrash, Reap } from '../rules/lease.js';
import type { Note } from '../rules/notes.js';
import type { Policy } from '../rules/queue.js';
import type { Sweep } from '../rules/retention.js';
import { MOST_EVENTS, type SubmitAnswer } from '../rules/submit.js';
import type { Promotion } from '../rules/time.js';
import { tokenBytes, tokenText } from './token.js';
import { newJob, newRecord, replayAnswer, settlement, submitAnswer } from './translate.js';
import { ANY_PACE } from '../../support/any-pace.js';

/** One type's queue in the real engine, asked in the model's words and answering in them. */
export class Engine {
  constructor(
    readonly link: Link,
    readonly type: string,
    private readonly policy: Policy,
  ) {}

  get keyBase(): string {
    return this.link.keys(this.type).clock.slice(0, -'clock'.length);
  }

  /** Lets Redis learn the scripts, so that no call needs a second round trip later; what they answer to nothing is of no matter. */
  async teach(): Promise<void> {
    const keep = { finished: true, failed: true };
    const call = { worker: '1', lane: 0, number: 1, want: 0, suspects: false, version: 1, keep, settles: [] };
    await Promise.allSettled([
      this.submit([]),
      this.exchange(call),
      this.reconcile(call, '', 1),
      this.heartbeat('1'),
      this.overdue('1'),
      this.crashOverdue('1', { keep, blameShared: false, crashError: '{}', poisonError: '{}' }),
      this.reap({ limit: 1, keep, crashError: '{}', poisonError: '{}' }),
      this.promote({ limit: 1, keepFinished: true }),
      this.sweep({ retentionMs: 1, deadRetentionMs: 1, limit: 1, maxFailed: 1 }),
      this.rouse(),
      this.cancel([]),
      this.replay([]),
      this.remove([]),
      this.write([]),
      this.read(''),
      this.counts(),
      this.holder(''),
      this.audit(['']),
      this.dropOutgoing([Buffer.alloc(1)]),
    ]);
  }

  async submit(submits: readonly Submit[]): Promise<SubmitAnswer[]> {
    return (await enqueue(this.link, this.type, submits.map(newJob), MOST_EVENTS)).answers.map(submitAnswer);
  }

  async exchange(call: Call) {
    const reply = await exchange(this.link, {
      type: this.type,
      worker: { number: BigInt(call.worker), label: `worker ${call.worker}` },
      lane: call.lane,
      call: call.number,
      leaseMs: this.policy.leaseMs,
      want: call.want,
      suspects: call.suspects,
      version: call.version,
      keepFinished: call.keep.finished,
      keepFailed: call.keep.failed,
      settles: call.settles.map(({ ulid, token, ending }) => ({
        ulid,
        token: tokenBytes(token),
        settlement: settlement(ending),
      })),
    });
    const { settled, claimed, idle, nextDueInMs, suspectsWait } = reply;
    return {
      suspectsWait,
      settled,
      idle,
      nextDueInMs,
      unreadable: reply.unreadable,
      claimed: claimed.map(({ ulid, record }) => ({
        ulid,
        status: record.status,
        token: tokenOf(call),
        payload: record.payloadJson,
      })),
    };
  }

  async reconcile(call: Pick<Call, 'worker' | 'lane' | 'number'>, after: string, limit: number) {
    const { next, held } = await reconcile(this.link, {
      type: this.type,
      workerNumber: BigInt(call.worker),
      lane: call.lane,
      call: call.number,
      leaseMs: this.policy.leaseMs,
      after,
      limit,
    });
    return { next, held: held.map(({ ulid, token }) => [ulid, tokenText(token)] as const) };
  }

  heartbeat(worker: string) {
    return heartbeat(this.link, this.type, BigInt(worker), this.policy.leaseMs);
  }

  async overdue(worker: string): Promise<string[]> {
    const page = { graceMs: this.policy.graceMs, offset: 0, limit: 250 };
    return (await overdue(this.link, this.type, BigInt(worker), page)).jobs.map(({ ulid }) => ulid);
  }

  async crashOverdue(worker: string, { keep, blameShared, crashError, poisonError }: BlockedCrash) {
    const { jobs } = await crashOverdue(this.link, {
      type: this.type,
      workerNumber: BigInt(worker),
      graceMs: this.policy.graceMs,
      maxCrashes: this.policy.maxCrashes,
      blameShared,
      offset: 0,
      limit: 250,
      keepFinished: keep.finished,
      keepFailed: keep.failed,
      crashJson: crashError,
      poisonJson: poisonError,
    });
    return { taken: jobs.map(({ ulid }) => ulid), statuses: jobs.map(({ record }): Status => record.status) };
  }

  async reap({ limit, keep, crashError, poisonError }: Reap) {
    const { workerNumber, timedOut, jobs, nextEndInMs } = await reap(this.link, {
      type: this.type,
      limit,
      maxCrashes: this.policy.maxCrashes,
      keepFinished: keep.finished,
      keepFailed: keep.failed,
      graceMs: this.policy.graceMs,
      crashJson: crashError,
      poisonJson: poisonError,
    });
    const answer = { worker: workerNumber, timedOut: timedOut.map(({ ulid }) => ulid), taken: jobs.map(({ ulid }) => ulid) };
    return { answer, statuses: jobs.map(({ record }): Status => record.status), nextEndInMs };
  }

  async promote({ limit, keepFinished }: Promotion) {
    const { moved, nextDueInMs } = await promote(this.link, this.type, { limit, keepFinished, pace: ANY_PACE });
    return { moved: moved.map(({ ulid }) => ulid), statuses: moved.map(({ record }): Status => record.status), nextDueInMs };
  }

  sweep(call: Sweep) {
    return sweep(this.link, { type: this.type, ...call });
  }

  rouse(): Promise<boolean> {
    return rouse(this.link, this.type);
  }

  async cancel(ulids: readonly string[]): Promise<(CancelAnswer | undefined)[]> {
    const answers = await cancel(this.link, this.type, ulids);
    return answers.map((answer) => answer && { status: answer.record.status, changed: answer.changed });
  }

  async replay(replays: readonly (Replay & { readonly submit: Submit })[]): Promise<ReplayAnswer[]> {
    const plans = replays.map(({ ulid, submit, edited }) => ({
      ulid,
      dedupeTtlMs: submit.dedupe?.ttlMs ?? 0,
      record: edited === undefined ? undefined : newRecord({ ...submit, ...edited }),
    }));
    return (await replay(this.link, this.type, plans)).answers.map(replayAnswer);
  }

  async remove(ulids: readonly string[]): Promise<(Status | undefined)[]> {
    return [...(await remove(this.link, this.type, ulids))];
  }

  async write(notes: readonly Note[]): Promise<boolean[]> {
    const plans = notes.map((one) => ({ ...one, token: tokenBytes(one.token) }));
    return [...(await note(this.link, this.type, plans))];
  }

  read(ulid: string) {
    return read(this.link, this.type, ulid);
  }

  async counts(): Promise<Readonly<Record<Status, number>>> {
    return (await depth(this.link, this.type)).counts;
  }

  /** The jobs that it listed again. */
  async audit(ulids: readonly string[]): Promise<readonly string[]> {
    return (await audit(this.link, this.type, ulids.slice(0, MAX_JOBS_PER_AUDIT))).relisted;
  }

  outgoing(limit: number): Promise<readonly Buffer[]> {
    return readOutgoing(this.link, this.type, limit);
  }

  dropOutgoing(events: readonly Buffer[]): Promise<number> {
    return dropOutgoing(this.link, this.type, events);
  }

  holder(dedupeKey: string): Promise<string | undefined> {
    return dedupeHolder(this.link, this.type, dedupeKey);
  }
}
