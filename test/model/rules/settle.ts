import { isLive, workerOf, type Job, type Run, type Status, type Token } from './job.js';
import type { Queue } from './queue.js';

/** How a run ended, as its worker says. Results and errors are JSON. */
export type Ending =
  | { readonly event: 'succeed'; readonly result: string }
  | { readonly event: 'retry'; readonly outcome: 'failed' | 'timed_out'; readonly delayMs: number; readonly error: string }
  | { readonly event: 'bury'; readonly outcome: 'failed' | 'timed_out'; readonly error: string }
  | { readonly event: 'snooze'; readonly delayMs: number; readonly error: string }
  | { readonly event: 'hand_back'; readonly delayMs: number; readonly neverBegan?: true };

export interface Settle {
  readonly ulid: string;
  readonly token: Token;
  readonly ending: Ending;
}

export interface Keep {
  readonly finished: boolean;
  readonly failed: boolean;
}

/** Ends a run. Only the token of the run that goes on counts, once; any other changes nothing: `stale`. */
export function settle(queue: Queue, { ulid, token, ending }: Settle, keep: Keep, now: number): Status | 'stale' {
  const job = queue.jobs.get(ulid);
  if (!isLive(job, token)) {
    queue.tally.saw('settle stale');
    return 'stale';
  }
  if (job.cancelAskedAt !== 0 && ending.event !== 'succeed') return stop(queue, job, ending, keep, now);
  if (job.cancelAskedAt !== 0) queue.tally.saw('succeeded though asked to stop');
  switch (ending.event) {
    case 'succeed':
      if (keep.finished && ending.result !== '') job.result = ending.result;
      note(job, { outcome: 'succeeded', endedAt: now, nextAt: 0, error: '' });
      queue.end(job, 'succeed', 'succeeded', now, keep.finished, ending.result);
      break;
    case 'retry':
      queue.endRow(job, 'a retry');
      if (job.attempt >= job.submit.maxAttempts) bury(queue, job, 'retry', ending, keep, now);
      else postpone(queue, job, 'retrying', ending, ending.outcome, now);
      break;
    case 'bury':
      bury(queue, job, 'bury', ending, keep, now);
      break;
    case 'snooze':
      job.attempt -= 1;
      job.snoozes += 1;
      queue.endRow(job, 'a snooze');
      postpone(queue, job, 'scheduled', ending, 'snoozed', now);
      break;
    case 'hand_back':
      job.attempt -= 1;
      if (ending.delayMs > 0) postpone(queue, job, 'scheduled', { ...ending, error: '' }, 'handed_back', now);
      else rejoin(queue, job, ending.neverBegan !== true, now);
      if (ending.neverBegan === true) {
        queue.tally.saw('handed back unbegun');
        job.trail.delete(job.runs);
        job.runs -= 1;
        job.startedAt = job.startedBeforeAt;
      }
      break;
  }
  return job.status;
}

/** What a run that was asked to stop comes to, unless it succeeded all the same. */
function stop(queue: Queue, job: Job, ending: Ending, keep: Keep, now: number): Status {
  note(job, { outcome: 'cancelled', endedAt: now, nextAt: 0, error: 'error' in ending ? ending.error : '' });
  queue.end(job, 'cancelled run', 'cancelled', now, keep.finished);
  return job.status;
}

function bury(
  queue: Queue,
  job: Job,
  event: 'retry' | 'bury',
  { outcome, error }: { readonly outcome: 'failed' | 'timed_out'; readonly error: string },
  keep: Keep,
  now: number,
): void {
  note(job, { outcome, endedAt: now, nextAt: 0, error });
  queue.end(job, event, 'failed', now, keep.failed);
}

function postpone(
  queue: Queue,
  job: Job,
  to: 'scheduled' | 'retrying',
  { event, delayMs, error }: { readonly event: string; readonly delayMs: number; readonly error: string },
  outcome: Run['outcome'],
  now: number,
): void {
  job.dueAt = now + delayMs;
  note(job, { outcome, endedAt: now, nextAt: job.dueAt, error });
  queue.change(job, event, to);
}

/** A job that is handed back goes to the front of its line, and has waited since then if it ran. */
function rejoin(queue: Queue, job: Job, ran: boolean, now: number): void {
  if (ran) job.dueAt = now;
  note(job, { outcome: 'handed_back', endedAt: now, nextAt: now, error: '' });
  queue.change(job, 'hand_back', 'queued');
  queue.joinLine(job, 'front');
}

/** Every run that ended stands in the trail. */
export function note(job: Job, run: Omit<Run, 'worker' | 'startedAt'>): void {
  job.trail.set(job.runs, { ...run, worker: workerOf(job.token ?? ''), startedAt: job.startedAt });
}
