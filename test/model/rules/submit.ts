import { holderOf, take } from './dedupe.js';
import type { Job, Status, Submit } from './job.js';
import { onceRecordOf, type FirstAnswer } from './once.js';
import type { Queue } from './queue.js';

const YEAR_MS = 31_536_000_000;
/** So many ends may wait to be told; of a real queue 100,000. */
export const MOST_EVENTS = 3;

export type SubmitAnswer =
  | { readonly kind: 'accepted'; readonly status: Status; readonly createdAt: number }
  | { readonly kind: 'known'; readonly status: Status; readonly revision: number }
  | { readonly kind: 'too_late' }
  | { readonly kind: 'expires_before_run' }
  | { readonly kind: 'events_full' }
  | { readonly kind: 'duplicate'; readonly holder: string; readonly status: Status | undefined }
  | { readonly kind: 'once'; readonly answer: FirstAnswer }
  | { readonly kind: 'once_mismatch'; readonly ulid: string };

/** Submits, one after the other, and what each must be answered. */
export function submit(queue: Queue, submits: readonly Submit[], now: number): SubmitAnswer[] {
  return submits.map((one) => {
    const answer = submitOne(queue, one, now);
    queue.tally.saw(`submit ${answer.kind}`);
    return answer;
  });
}

function submitOne(queue: Queue, one: Submit, now: number): SubmitAnswer {
  const { once, dedupe, ulid, when, deadlineMs, webhook } = one;
  const before = once && onceRecordOf(queue, once.key, now);
  if (before !== undefined) {
    return before.body === once?.body
      ? { kind: 'once', answer: before.answer }
      : { kind: 'once_mismatch', ulid: before.answer.ulid };
  }
  if (once !== undefined && queue.once.has(once.key)) queue.tally.saw('once expired');
  const known = queue.jobs.get(ulid);
  if (known !== undefined) return { kind: 'known', status: known.status, revision: known.revision };

  const dueAt = dueTime(when, now);
  const expiresAt = deadlineMs === 0 ? 0 : now + deadlineMs;
  if (dueAt > now + YEAR_MS || expiresAt > now + YEAR_MS) return { kind: 'too_late' };
  if (expiresAt !== 0 && expiresAt <= dueAt) return { kind: 'expires_before_run' };

  const holder = dedupe && holderOf(queue, dedupe.key, now);
  if (holder !== undefined) {
    queue.tally.saw(`dedupe refused: ${queue.takers.get(dedupe?.key ?? '')?.submit.dedupe?.policy ?? ''}`);
    const job = queue.jobs.get(holder);
    remember(queue, one, { accepted: false, ulid: holder, job: job && answered(job) }, now);
    return { kind: 'duplicate', holder, status: job?.status };
  }
  if (webhook.length > 0 && queue.outgoing.length >= MOST_EVENTS) return { kind: 'events_full' };

  const job = accept(queue, one, now, dueAt, expiresAt);
  remember(queue, one, { accepted: true, ulid, job: answered(job) }, now);
  return { kind: 'accepted', status: job.status, createdAt: now };
}

/** A time that has passed is now. */
function dueTime(when: Submit['when'], now: number): number {
  if (when === undefined) return now;
  return 'delayMs' in when ? now + when.delayMs : Math.max(when.atMs, now);
}

function accept(queue: Queue, one: Submit, now: number, dueAt: number, expiresAt: number): Job {
  queue.seq += 1;
  const job: Job = {
    submit: one,
    payload: one.payload,
    version: one.version,
    status: dueAt > now ? 'scheduled' : 'queued',
    attempt: 0,
    runs: 0,
    crashes: 0,
    crashesInAll: 0,
    snoozes: 0,
    replays: 0,
    revision: 1,
    seq: queue.seq,
    createdAt: now,
    dueAt,
    startedAt: 0,
    startedBeforeAt: 0,
    finishedAt: 0,
    expiresAt,
    token: undefined,
    cancelAskedAt: 0,
    trail: new Map(),
    result: undefined,
    progress: undefined,
    checkpoint: undefined,
    steps: new Map(),
    log: [],
  };
  queue.tally.saw(`enqueue: none → ${job.status}`);
  queue.jobs.set(one.ulid, job);
  if (job.status === 'queued') queue.joinLine(job, 'back');
  take(queue, job, now);
  return job;
}

const answered = ({ status, createdAt, submit: { traceId } }: Job): FirstAnswer['job'] => ({ status, createdAt, traceId });

function remember(queue: Queue, { once }: Submit, answer: FirstAnswer, now: number): void {
  if (once !== undefined) queue.once.set(once.key, { body: once.body, deadline: now + once.ttlMs, answer });
}
