import type { BeginOutcome, Delivery, OnUnknown } from './delivery.js';

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

export function decide(mark: Mark, { run, jobId }: Delivery, onUnknown: OnUnknown): Decision {
  if (mark.ageMs > RETENTION_MS) return { kind: 'take', unknown: false };
  const { jobId: holder, messageId, at: since } = mark;
  switch (mark.state) {
    case 'sent':
      return tell({ kind: 'already_sent', messageId, sentAt: since });
    case 'failed':
      // A late call of the run that is over: nobody waits for the answer, and no mark is to be left.
      if (mark.run === run) return tell({ kind: 'begun', afterUnknown: false });
      return { kind: 'take', unknown: false };
    case 'sending':
      // A run whose first call was not answered asks again.
      if (mark.run === run) return tell({ kind: 'begun', afterUnknown: mark.unknown });
      // The engine runs a job once at a time, so a mark of the same job is always left over. Of another job only its age is known.
      if (holder !== jobId && mark.ageMs < LIVE_MARK_MS) return tell({ kind: 'in_progress', jobId: holder, since });
      if (onUnknown === 'fail') return tell({ kind: 'unknown', jobId: holder, messageId, since });
      return { kind: 'take', unknown: true };
  }
}

function tell(outcome: BeginOutcome): Decision {
  return { kind: 'tell', outcome };
}
