import { runNumberOf, type BeginOutcome, type Delivery, type OnUnknown, type UnsentRuns } from './delivery.js';

/** How long after its last change a mail is remembered. */
export const RETENTION_MS = 30 * 86_400_000;
/** A mark of another job that is younger may belong to a run that is alive: the default timeout, its grace and room. */
const LIVE_MARK_MS = 120_000;

/** What the ledger holds of a mail. */
export interface Mark {
  readonly state: 'sending' | 'sent' | 'failed';
  readonly run: string;
  readonly jobId: string;
  readonly messageId: string;
  /** An earlier run may have sent the mail. */
  readonly unknown: boolean;
  readonly at: Date;
  readonly ageMs: number;
}

/** A run that would send takes the mark for itself, or is told something and leaves it as it is. */
type Decision = { readonly kind: 'take'; readonly unknown: boolean } | { readonly kind: 'tell'; readonly outcome: BeginOutcome };

export function decide(mark: Mark, { run, jobId, unsent }: Delivery, onUnknown: OnUnknown): Decision {
  if (mark.ageMs > RETENTION_MS) return { kind: 'take', unknown: false };
  const { jobId: holder, messageId, at: since } = mark;
  if (mark.state === 'sent') return tell({ kind: 'already_sent', messageId, sentAt: since, afterUnknown: mark.unknown });
  // A late call of a run that is over: nobody waits for the answer, and no mark is to be left.
  if (isOver(mark, run, jobId)) return tell({ kind: 'in_progress', jobId: holder, since });
  switch (mark.state) {
    case 'failed':
      return { kind: 'take', unknown: false };
    case 'sending':
      // A run whose first call was not answered asks again.
      if (mark.run === run) return tell({ kind: 'begun', afterUnknown: mark.unknown });
      if (holder === jobId && !mark.unknown && isAmong(unsent, mark.run)) return { kind: 'take', unknown: false };
      // The engine runs a job once at a time, so a mark of the same job is always left over. Of another job only its age is known.
      if (holder !== jobId && mark.ageMs < LIVE_MARK_MS) return tell({ kind: 'in_progress', jobId: holder, since });
      if (onUnknown === 'fail') return tell({ kind: 'unknown', jobId: holder, messageId, since });
      return { kind: 'take', unknown: true };
  }
}

function isOver(mark: Mark, run: string, jobId: string): boolean {
  if (mark.run === run) return mark.state === 'failed';
  return mark.jobId === jobId && runNumberOf(mark.run) > runNumberOf(run);
}

function isAmong(runs: UnsentRuns | undefined, run: string): boolean {
  const number = runNumberOf(run);
  return runs !== undefined && runs.first <= number && number <= runs.last;
}

function tell(outcome: BeginOutcome): Decision {
  return { kind: 'tell', outcome };
}
