/** One run's try to send one mail. */
export interface Delivery {
  /** See `deliveryId`: the same for all runs that would send the same mail. */
  readonly id: string;
  readonly jobId: string;
  readonly messageId: string;
  /** Tells this run from every other, also of the same job. */
  readonly run: string;
}

/** What to do about a mail that an earlier run handed over without learning what became of it. */
export type OnUnknown = 'resend' | 'fail';

export type BeginOutcome =
  /** This run sends. `afterUnknown`: an earlier one may have sent the mail already. */
  | { readonly kind: 'begun'; readonly afterUnknown: boolean }
  | { readonly kind: 'already_sent'; readonly messageId: string; readonly sentAt: Date }
  /** Another job is at it with the same key. */
  | { readonly kind: 'in_progress'; readonly jobId: string; readonly since: Date }
  /** An earlier run left its mark, and `fail` was asked for. */
  | { readonly kind: 'unknown'; readonly jobId: string; readonly messageId: string; readonly since: Date };

/** The ledger did not answer while the caller waited for it. */
export class LedgerAwayError extends Error {
  override readonly name = 'LedgerAwayError';

  constructor(cause: unknown) {
    super('The delivery ledger did not answer.', { cause });
  }
}

/**
 * Remembers which mails were sent, so that a key that was sent is not sent again, whatever becomes of jobs.
 * A mail is marked as `sending` from `begin` on; the mark goes with `sent` or `failed`. One that stays says that a run
 * ended between the hand-over and its record.
 */
export abstract class DeliveryLedger {
  /**
   * Marks the mail as being sent by this run, unless it was sent, or is being sent, or its fate is unknown. While the ledger is away
   * it is asked again.
   * @throws {LedgerAwayError} it was away for too long, or the signal fired. The mark may still be left: `failed` takes it away.
   */
  abstract begin(delivery: Delivery, onUnknown: OnUnknown, signal: AbortSignal): Promise<BeginOutcome>;

  /**
   * The mail was taken. Holds whoever's mark it is: what was sent was sent. Resolves once it is recorded, however long the ledger is away.
   * @throws {LedgerAwayError} when the application ends before.
   */
  abstract sent(delivery: Delivery): Promise<void>;

  /**
   * The mail was certainly not taken: removes the mark if it is still this run's and no earlier run's fate is unknown. As `sent` it
   * resolves once that is done.
   * @throws {LedgerAwayError} when the application ends before.
   */
  abstract failed(delivery: Delivery): Promise<void>;
}
