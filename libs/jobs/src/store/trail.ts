import { UnreadableRecordError } from './record.js';

/** How one run of a job ended; null while it goes on. */
export const RUN_OUTCOMES = ['succeeded', 'failed', 'timed_out', 'snoozed', 'crashed', 'handed_back', 'cancelled'] as const;
export type RunOutcome = (typeof RUN_OUTCOMES)[number];

export interface RunError {
  readonly name: string;
  readonly code: string;
  readonly message: string;
}

/** One run in a job's trail. */
export interface Run {
  /** Counts every run from 1, those that used no attempt included. */
  readonly number: number;
  readonly workerId: string;
  readonly startedAt: Date;
  readonly finishedAt: Date | null;
  readonly outcome: RunOutcome | null;
  readonly error: RunError | null;
  /** When the job was to run again, as decided at the end of this run. */
  readonly nextAttemptAt: Date | null;
}

/** So many runs, the latest, trail.lua keeps of a job. */
export const MAX_RUNS = 50;

/** The form trail.lua writes: `started finished outcome worker next error`. */
const SHAPE = /^(\d+) (\d+) (\w+) (\d+) (\d+) (.*)$/s;

/** @throws {UnreadableRecordError} */
export function parseRun(number: number, text: string): Run {
  const [, started, finished, outcome, workerId, next, error] = SHAPE.exec(text) ?? [];
  const known = RUN_OUTCOMES.find((name) => name === outcome);
  if (known === undefined || workerId === undefined) throw unreadable(number);
  return {
    number,
    workerId,
    startedAt: new Date(Number(started)),
    finishedAt: new Date(Number(finished)),
    outcome: known,
    error: error ? parseError(number, error) : null,
    nextAttemptAt: Number(next) === 0 ? null : new Date(Number(next)),
  };
}

function parseError(number: number, json: string): RunError {
  try {
    // Written by the executor or the reaper and nobody else.
    return JSON.parse(json) as RunError;
  } catch (error) {
    throw unreadable(number, error);
  }
}

function unreadable(number: number, cause?: unknown): UnreadableRecordError {
  return new UnreadableRecordError(`Run ${number} of a trail cannot be read.`, { cause });
}
