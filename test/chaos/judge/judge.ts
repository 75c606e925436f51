import { JOB_STATUSES, isFinal } from '../../../libs/jobs/src/index.js';
import type { Accepted, Delivery, Entry, Fault, Final, Hold, Refusal, RunNote, Unanswered } from '../ledger/entries.js';
import { FAULT_KINDS, LEAST_TIMES, type FaultKind } from '../fault-plan.js';
import { grouped } from './grouped.js';
import { interruptedBy, type Victims } from './interrupted.js';
import { findOverlaps, type Overlap } from './overlaps.js';
import { shareObserved } from './observed.js';
import { recoveriesOf, type Recovery } from './recoveries.js';
import { runsByJob, runsOf } from './run.js';
import { judgeWebhooks, type Tidings } from './webhooks.js';

const FINAL: ReadonlySet<string> = new Set(JOB_STATUSES.filter(isFinal));

/** All ledgers of a campaign. */
export interface Evidence {
  readonly accepted: readonly Entry<Accepted>[];
  readonly unanswered: readonly Entry<Unanswered>[];
  readonly runs: readonly Entry<RunNote>[];
  readonly holds: readonly Hold[];
  readonly finals: readonly Final[];
  readonly deliveries: readonly Delivery[];
  readonly refusals: readonly Entry<Refusal>[];
  readonly faults: readonly Fault[];
}

/** How often a fault took place, and how much it interrupted. */
export interface FaultCount {
  readonly times: number;
  readonly interrupted: number;
}

export interface Verdict {
  readonly accepted: number;
  readonly resent: number;
  readonly succeeded: number;
  readonly failed: number;
  /** Accepted, and not finished or not there. */
  readonly lost: readonly string[];
  /** The same, but accepted when Redis was about to lose what it had answered. */
  readonly lostWithRedis: readonly string[];
  readonly duplicateRuns: number;
  readonly overlaps: readonly Overlap[];
  /** Of the runs that took their time, the share (0 to 1) that the observer saw under their worker: overlaps of others go unseen. */
  readonly observed: number;
  /** Failed although they had to succeed, or without a run that did. */
  readonly wronglyBuried: readonly string[];
  /** Finished otherwise than they had to in any other way, or succeeded without a run that did. */
  readonly wrongOutcomes: readonly string[];
  /** Numbers that were run as more than one job, though each was submitted under one idempotency key. */
  readonly doubled: readonly number[];
  readonly webhooks: Tidings;
  /** One for each run that lost its worker. */
  readonly recoveries: readonly Recovery[];
  /** By kind; undefined for a kind that was left out. */
  readonly faults: Readonly<Record<FaultKind, FaultCount | undefined>>;
}

/** Holds against each other what submitters, handlers, observer and reader wrote. */
export function judge(evidence: Evidence, kinds: readonly FaultKind[]): Verdict {
  const { accepted, unanswered, holds, faults, deliveries, refusals } = evidence;
  const finals = new Map(evidence.finals.map((final) => [final.jobId, final]));
  const runs = runsOf(evidence.runs, faults);
  const byJob = runsByJob(runs);
  const statusOf = ({ jobId }: Accepted) => finals.get(jobId)?.status ?? 'absent';
  const isFinished = (job: Accepted) => FINAL.has(statusOf(job));
  const unfinished = accepted.filter((job) => !isFinished(job));
  const finished = accepted.filter(isFinished);
  const wrong = finished.filter((job) => {
    const due = job.fate === 'is_refused' ? 'failed' : 'succeeded';
    const cameAbout = byJob.get(job.jobId)?.some(({ end }) => end === due) === true;
    return statusOf(job) !== due || !cameAbout;
  });
  const redisLost = faults.some(({ lostFromMs }) => lostFromMs !== undefined);
  const toBeTold = finished.filter(({ webhook }) => webhook).map((job) => ({ jobId: job.jobId, status: statusOf(job) }));
  const isBuried = (job: Accepted) => statusOf(job) === 'failed';
  return {
    accepted: accepted.length,
    resent: unanswered.length,
    succeeded: accepted.filter((job) => statusOf(job) === 'succeeded').length,
    failed: accepted.filter(isBuried).length,
    lost: ids(unfinished.filter((job) => !wentWithRedis(job, faults))),
    lostWithRedis: ids(unfinished.filter((job) => wentWithRedis(job, faults))),
    duplicateRuns: [...byJob.values()].reduce((sum, ofJob) => sum + Math.max(ofJob.filter(isWhole).length - 1, 0), 0),
    overlaps: findOverlaps(byJob, holds, faults),
    observed: shareObserved(runs, holds),
    wronglyBuried: ids(wrong.filter(isBuried)),
    wrongOutcomes: ids(wrong.filter((job) => !isBuried(job))),
    // A Redis that loses what it answered loses the answer to a key as well.
    doubled: redisLost ? [] : doubledNumbers(runs),
    webhooks: judgeWebhooks(toBeTold, deliveries, redisLost),
    recoveries: recoveriesOf(byJob, faults),
    faults: countsOf(faults, kinds, { runs, unanswered, refusals }),
  };
}

/** Redis is away now and then, and its observer with it. */
const LEAST_OBSERVED = 0.5;

/** 0: all that was promised held. 1: something did not. 2: the faults, or what was seen of them, were too few to tell. */
export function exitCodeOf(verdict: Verdict): 0 | 1 | 2 {
  const { lost, overlaps, wronglyBuried, wrongOutcomes, doubled, webhooks, observed, faults } = verdict;
  const { missing, wrong } = webhooks;
  const broken = [lost, overlaps, wronglyBuried, wrongOutcomes, doubled, missing, wrong].some(({ length }) => length > 0);
  if (broken) return 1;
  if (observed < LEAST_OBSERVED) return 2;
  const counts = Object.values(faults).filter((count) => count !== undefined);
  return counts.every(({ times, interrupted }) => times >= LEAST_TIMES && interrupted >= 1) ? 0 : 2;
}

function ids(jobs: readonly Accepted[]): string[] {
  return jobs.map(({ jobId }) => jobId);
}

/** What Redis accepted just before its kill is written down just after it. */
function wentWithRedis({ atMs }: Entry<Accepted>, faults: readonly Fault[]): boolean {
  return faults.some(({ lostFromMs, untilMs }) => lostFromMs !== undefined && atMs >= lostFromMs && atMs <= untilMs);
}

/** A run that came to its end: one that was cut off is to be done again. */
function isWhole({ end }: { readonly end: string }): boolean {
  return end === 'succeeded';
}

function countsOf(faults: readonly Fault[], kinds: readonly FaultKind[], victims: Victims): Verdict['faults'] {
  const counts = FAULT_KINDS.map((kind) => {
    const ofKind = faults.filter((fault) => fault.kind === kind);
    const interrupted = ofKind.reduce((sum, fault) => sum + interruptedBy(fault, victims, faults), 0);
    return [kind, kinds.includes(kind) ? { times: ofKind.length, interrupted } : undefined];
  });
  // Each kind is there.
  return Object.fromEntries(counts) as Verdict['faults'];
}

function doubledNumbers(runs: readonly { readonly number: number; readonly jobId: string }[]): number[] {
  return [...grouped(runs, ({ number }) => number)]
    .filter(([, ofNumber]) => new Set(ofNumber.map(({ jobId }) => jobId)).size > 1)
    .map(([number]) => number);
}
