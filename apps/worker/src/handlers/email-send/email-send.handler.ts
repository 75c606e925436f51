import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { Inject } from '@nestjs/common';
import { SendEmail } from '@antrean/catalog';
import { endsWithin } from '@antrean/platform';
import { JobHandler, PermanentError, Snooze, type Handles, type JobContext, type JobLog } from '@antrean/jobs';
import { DeliveryLedger, LedgerAwayError, type BeginOutcome, type Delivery, type OnUnknown } from '@antrean/shop';
import { MailComposer } from './message/mail-composer.js';
import type { MailMessage } from './message/mail-message.js';
import { MailNotSentError, MailTransport, type MailReceipt } from './transport/mail-transport.js';

/** Injection token of the setting `EMAIL_ON_UNKNOWN`. */
export const ON_UNKNOWN = Symbol('ON_UNKNOWN');

/** The ledger has heard that the database is back, and what is to become of this run's mark, before the next one asks. */
const LEDGER_AWAY_DELAY = '5s';
/** How long a run whose mail was taken or refused waits for the record of that; it is made all the same. */
const LONGEST_WAIT_MS = 10_000;
/** … and how long once its signal has fired: a worker that shuts down soon lets go of it. */
const LAST_WAIT_MS = 500;

/** The result of a job that succeeded. */
export type EmailSendResult =
  | {
      readonly message_id: string;
      readonly accepted: readonly string[];
      readonly response: string;
      readonly via: 'smtp' | 'file';
      /** There when an earlier run may have sent the mail as well. */
      readonly resent_after_unknown?: true;
    }
  | { readonly skipped: 'already_sent'; readonly message_id: string; readonly sent_at: string };

/** Composes a mail, asks the ledger whether it may go, sends it, and records that. */
@JobHandler(SendEmail)
export class EmailSendHandler implements Handles<typeof SendEmail> {
  constructor(
    private readonly composer: MailComposer,
    private readonly transport: MailTransport,
    private readonly ledger: DeliveryLedger,
    @Inject(ON_UNKNOWN) private readonly onUnknown: OnUnknown,
  ) {}

  async handle({ jobId, payload, signal, log }: JobContext<typeof SendEmail>): Promise<EmailSendResult> {
    const { deliveryId, message } = await this.composer.compose(payload, jobId);
    const delivery: Delivery = { id: deliveryId, jobId, messageId: message.messageId, run: randomUUID() };
    const outcome = await this.begin(delivery, signal, log);
    switch (outcome.kind) {
      case 'already_sent':
        return { skipped: 'already_sent', message_id: outcome.messageId, sent_at: outcome.sentAt.toISOString() };
      case 'in_progress':
        throw new Snooze('15s', `The job ${outcome.jobId} is sending the mail with this message_key.`);
      case 'unknown':
        throw deliveryUnknown(outcome);
      case 'begun': {
        const receipt = await this.send(message, delivery, signal, log);
        await this.recordSent(delivery, signal, log);
        return {
          message_id: message.messageId,
          accepted: receipt.accepted,
          response: receipt.response,
          via: receipt.via,
          ...(outcome.afterUnknown ? { resent_after_unknown: true } : {}),
        };
      }
    }
  }

  /** Nothing was handed over while the ledger was away, so that costs no attempt. */
  private async begin(delivery: Delivery, signal: AbortSignal, log: JobLog): Promise<BeginOutcome> {
    try {
      return await this.ledger.begin(delivery, this.onUnknown, signal);
    } catch (error) {
      if (!(error instanceof LedgerAwayError)) throw error;
      // A call that was not answered may be carried out yet: the next run is not to take its mark for that of a mail handed over.
      void this.recordFailed(delivery, signal, log);
      signal.throwIfAborted();
      throw new Snooze(LEDGER_AWAY_DELAY, 'The delivery ledger in the database did not answer. The mail was not sent.');
    }
  }

  private async send(message: MailMessage, delivery: Delivery, signal: AbortSignal, log: JobLog): Promise<MailReceipt> {
    try {
      return await this.transport.send(message, signal);
    } catch (error) {
      if (!(error instanceof MailNotSentError)) throw error;
      if (error.fate === 'not_taken') await this.recordFailed(delivery, signal, log);
      else log.warn('the fate of a mail is unknown', { message_id: delivery.messageId, err: error });
      signal.throwIfAborted();
      throw error.permanent ? new PermanentError(error.message, { code: error.code, cause: error }) : error;
    }
  }

  /** The mail is out: a ledger that cannot be reached must not make the job fail and the mail go out twice. */
  private recordSent(delivery: Delivery, signal: AbortSignal, log: JobLog): Promise<void> {
    const recorded = this.ledger.sent(delivery).catch((error: unknown) => {
      log.error('a sent mail could not be recorded', { message_id: delivery.messageId, err: error });
    });
    return whileTimeIsLeft(recorded, signal);
  }

  /** Why the mail was not sent matters more than that the mark stays; a later run then takes the fate as unknown. */
  private recordFailed(delivery: Delivery, signal: AbortSignal, log: JobLog): Promise<void> {
    const recorded = this.ledger.failed(delivery).catch((error: unknown) => {
      log.warn('the mark of a mail that was not sent could not be removed', {
        message_id: delivery.messageId,
        err: error,
      });
    });
    return whileTimeIsLeft(recorded, signal);
  }
}

/** Waits for a record, which is made without anybody waiting too, but not until the run is out of time. */
async function whileTimeIsLeft(recorded: Promise<void>, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await endsWithin(Promise.race([recorded, once(signal, 'abort')]), LONGEST_WAIT_MS);
  if (signal.aborted) await endsWithin(recorded, LAST_WAIT_MS);
}

function deliveryUnknown({ jobId, messageId, since }: BeginOutcome & { readonly kind: 'unknown' }): PermanentError {
  return new PermanentError(
    `It is unknown whether this mail was sent: a run of ${jobId} began to send it at ${since.toISOString()} and ended without an answer. ` +
      `Look for ${messageId} in the mail server's log. If the mail is not there, submit it again with another message_key.`,
    { code: 'delivery_unknown' },
  );
}
