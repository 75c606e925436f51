import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import { isDatabaseTrouble } from '../database/database-errors.js';
import { LedgerAwayError, type BeginOutcome, type Delivery, type OnUnknown } from './delivery.js';
import { type Marks } from './marks.js';

/** How long a mail waits for its mark. The timeout of the job leaves time for the mail itself. */
const PATIENCE_MS = 15_000;
/** The wait between two tries doubles up to this. */
const LONGEST_REST_MS = 1_000;

/**
 * Remembers which mails were sent, so that a key that was sent is not sent again, whatever becomes of jobs.
 * A mail is marked as `sending` from `begin` on; the mark goes with `sent` or `failed`. One that stays says that a run
 * ended between the hand-over and its record.
 */
export class DeliveryLedger implements OnApplicationShutdown {
  private readonly closed = new AbortController();

  constructor(
    private readonly marks: Marks,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    // As many as mails wait.
    setMaxListeners(0, this.closed.signal);
  }

  /**
   * Marks the mail as being sent by this run, unless it was sent, or is being sent, or its fate is unknown. While the database is
   * away or unfit it is asked again.
   * @throws {LedgerAwayError} it was so for too long, or the signal fired. The mark may still be left: `failed` takes it away.
   */
  async begin(delivery: Delivery, onUnknown: OnUnknown, signal: AbortSignal): Promise<BeginOutcome> {
    const giveUp = AbortSignal.any([signal, AbortSignal.timeout(this.patienceMs)]);
    return untilAnswered(() => this.marks.begin(delivery, onUnknown), giveUp);
  }

  /**
   * The mail was taken. Holds whoever's mark it is: what was sent was sent. Resolves once it is recorded, however long the database
   * is away.
   * @throws {LedgerAwayError} when the application ends before.
   */
  async sent(delivery: Delivery): Promise<void> {
    await untilAnswered(() => this.marks.sent(delivery), this.closed.signal);
  }

  /**
   * The mail was certainly not taken: removes the mark if it is still this run's and no earlier run's fate is unknown. As `sent` it
   * resolves once that is done.
   * @throws {LedgerAwayError} when the application ends before.
   */
  async failed(delivery: Delivery): Promise<void> {
    await untilAnswered(() => this.marks.failed(delivery), this.closed.signal);
  }

  onApplicationShutdown(): void {
    this.closed.abort();
  }
}

/** Rejects as soon as the signal fires; a call in hand goes on. @throws {LedgerAwayError} */
function untilAnswered<T>(call: () => Promise<T>, giveUp: AbortSignal): Promise<T> {
  return unlessAborted(askedAgain(call, giveUp), giveUp);
}

/** Calls again while the database is not to be used: each call may be carried out any number of times. */
async function askedAgain<T>(call: () => Promise<T>, giveUp: AbortSignal): Promise<T> {
  for (let failures = 0; ; failures += 1) {
    try {
      return await call();
    } catch (error) {
      if (!isDatabaseTrouble(error)) throw error;
      // Once given up it is not called again: `failed` has been called then, and is to be the last word.
      if (!(await rested(failures, giveUp))) throw new LedgerAwayError(error);
    }
  }
}

async function rested(failures: number, giveUp: AbortSignal): Promise<boolean> {
  await pause(Math.min(50 * 2 ** failures, LONGEST_REST_MS), undefined, { signal: giveUp }).catch(() => undefined);
  return !giveUp.aborted;
}

/** Rejects as soon as the signal fires; the work itself goes on. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      reject(new LedgerAwayError(signal.reason));
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
