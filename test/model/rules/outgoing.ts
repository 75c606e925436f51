import type { Tally } from '../tally.js';
import type { Job, Run, Status, Told } from './job.js';
import type { Queue } from './queue.js';

/** So many of a job's runs are told, the latest. */
const MOST_RUNS = 10;

/** The end of a job, in whole: the job may run again, or be gone, when it is told. */
export interface Event {
  readonly ulid: string;
  readonly status: Status;
  readonly revision: number;
  finishedAt: number;
  /** `` where there is none. */
  readonly result: string;
  readonly progress: Told | undefined;
  readonly cancelAskedAt: number;
  /** By number; the run that succeeded is told by the state of the job. */
  readonly runs: ReadonlyMap<number, Run>;
}

export function eventOf(job: Job, result: string, tally: Tally): Event {
  const { status, revision, finishedAt, progress, cancelAskedAt, submit } = job;
  const isTold = (number: number): boolean => number > job.runs - MOST_RUNS && !(status === 'succeeded' && number === job.runs);
  const runs = new Map([...job.trail].filter(([number]) => isTold(number)));
  tally.saw(`event: ${status}`);
  return { ulid: submit.ulid, status, revision, finishedAt, result, progress, cancelAskedAt, runs };
}

/** What names an event: a job ends once in one state, and a failover that undoes the end does not bring the time back. */
export const nameOf = ({ ulid, revision, finishedAt }: Pick<Event, 'ulid' | 'revision' | 'finishedAt'>): string =>
  `${ulid} ${revision} ${finishedAt}`;

/** Events were handed on, in the order in which they were read; others may have dropped some of them before. Which go now. */
export function handOn(queue: Queue, names: readonly string[]): number {
  let dropped = 0;
  for (const name of names) {
    const [first] = queue.outgoing;
    if (first === undefined || nameOf(first) !== name) continue;
    queue.outgoing.shift();
    dropped += 1;
  }
  if (dropped > 0) queue.tally.saw('events handed on');
  if (dropped < names.length) queue.tally.saw('events handed on by another before');
  return dropped;
}
