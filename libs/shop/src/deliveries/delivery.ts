import { randomUUID } from 'node:crypto';

/** That many start the id of a run, so that the database too can compare two. */
export const RUN_DIGITS = 5;

/** One run's try to send one mail. */
export interface Delivery {
  /** Of the mail: the same for all runs that would send the same. */
  readonly id: string;
  readonly jobId: string;
  readonly messageId: string;
  /** Tells this run from every other, also of the same job: see {@link newRunId}. */
  readonly run: string;
  /** What the job itself knows of its earlier runs. */
  readonly unsent?: UnsentRuns | undefined;
}

/** Runs of one job, all from the first to the last, of which it is certain that none handed the mail over. */
export interface UnsentRuns {
  readonly first: number;
  readonly last: number;
}

/** @param number of the run, as its job counts them. */
export function newRunId(number: number): string {
  return `${String(number).padStart(RUN_DIGITS, '0')}:${randomUUID()}`;
}

/** Of two runs of one job the later has the higher one. */
export function runNumberOf(id: string): number {
  return Number(id.slice(0, RUN_DIGITS));
}

/** What to do about a mail that an earlier run handed over without learning what became of it. */
export type OnUnknown = 'resend' | 'fail';

export type BeginOutcome =
  /** This run sends. `afterUnknown`: an earlier one may have sent the mail already. */
  | { readonly kind: 'begun'; readonly afterUnknown: boolean }
  /** `afterUnknown`: an earlier run than the one that sent it may have done so already. */
  | { readonly kind: 'already_sent'; readonly messageId: string; readonly sentAt: Date; readonly afterUnknown: boolean }
  /** Another job is at it with the same key. */
  | { readonly kind: 'in_progress'; readonly jobId: string; readonly since: Date }
  /** An earlier run left its mark, and `fail` was asked for. */
  | { readonly kind: 'unknown'; readonly jobId: string; readonly messageId: string; readonly since: Date };

/** The ledger did not answer while the caller waited for it. */
export class LedgerAwayError extends Error {
  override readonly name = 'LedgerAwayError';
  readonly code = 'ledger_away';

  constructor(cause: unknown) {
    super('The delivery ledger did not answer.', { cause });
  }
}
