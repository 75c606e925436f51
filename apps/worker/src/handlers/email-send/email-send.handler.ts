import { once } from 'node:events';
import { Inject } from '@nestjs/common';
import { SendEmail } from '@antrean/catalog';
import { endsWithin } from '@antrean/platform';
import { JobHandler, PermanentError, Snooze, type Handles, type JobContext } from '@antrean/jobs';
import { DeliveryLedger, LedgerAwayError, newRunId, type BeginOutcome, type Delivery, type OnUnknown } from '@antrean/shop';
import { MailComposer } from './message/mail-composer.js';
import type { MailMessage } from './message/mail-message.js';
import { MailNotSentError, MailTransport, type MailReceipt } from './transport/mail-transport.js';
import { knownUnsent, withRun } from './unsent-runs.js';

/** Injection token of the setting `EMAIL_ON_UNKNOWN`. */
export const ON_UNKNOWN = Symbol('ON_UNKNOWN');

/** The ledger has heard that the database is back, and what is to become of this run's mark, before the next one asks. */
const FIRST_AWAY_DELAY_MS = 5_000;
/** The wait doubles with each run in a row that could not ask, so that the snoozes that a job has last for days. */
const LONGEST_AWAY_DELAY_MS = 300_000;
/** For handing the mail over, from when the ledger has answered. */
const MAIL_MS = 30_000;
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
  | {
      readonly skipped: 'already_sent';
      readonly message_id: string;
      readonly sent_at: string;
      /** There when a run before the one that is known to have sent the mail may have sent it as well. */
      readonly resent_after_unknown?: true;
    };

type Context = JobContext<typeof SendEmail>;

/** Composes a mail, asks the ledger whether it may go, sends it, and records that. */
@JobHandler(SendEmail)
export class EmailSendHandler implements Handles<typeof SendEmail> {
  constructor(
    private readonly composer: MailComposer,
    private readonly transport: MailTransport,
    private readonly ledger: DeliveryLedger,
    @Inject(ON_UNKNOWN) private readonly onUnknown: OnUnknown,
  ) {}

  async handle(context: Context): Promise<EmailSendResult> {
    const { jobId, payload, run } = context;
    const { deliveryId, message } = await this.composer.compose(payload, jobId);
    const unsent = knownUnsent(context.checkpoint);
    const delivery: Delivery = { id: deliveryId, jobId, messageId: message.messageId, run: newRunId(run), unsent };
    const outcome = await this.begin(delivery, context);
    switch (outcome.kind) {
      case 'already_sent':
        return {
          skipped: 'already_sent',
          message_id: outcome.messageId,
          sent_at: outcome.sentAt.toISOString(),
          ...resentIf(outcome.afterUnknown),
        };
      case 'in_progress':
        throw new Snooze('15s', `The job ${outcome.jobId} is sending the mail with this message_key.`);
      case 'unknown':
        throw deliveryUnknown(outcome, context);
      case 'begun': {
        const receipt = await this.send(message, delivery, context);
        await this.recordSent(delivery, context);
        return {
          message_id: message.messageId,
          accepted: receipt.accepted,
          response: receipt.response,
          via: receipt.via,
          ...resentIf(outcome.afterUnknown),
        };
      }
    }
  }

  /** Nothing was handed over while the ledger was away, so that costs no attempt. */
  private async begin(delivery: Delivery, context: Context): Promise<BeginOutcome> {
    const { signal, log } = context;
    try {
      return await this.ledger.begin(delivery, this.onUnknown, signal);
    } catch (error) {
      if (!(error instanceof LedgerAwayError)) throw error;
      // A call that was not answered may be carried out yet: the next run is not to take its mark for that of a mail handed over.
      void this.recordFailed(delivery, context);
      log.warn('the delivery ledger did not answer', { err: error });
      await tellNextRun(context);
      signal.throwIfAborted();
      throw new Snooze(awayDelay(context), 'The delivery ledger in the database did not answer. The mail was not sent.');
    }
  }

  private async send(message: MailMessage, delivery: Delivery, context: Context): Promise<MailReceipt> {
    const { signal, log } = context;
    try {
      return await this.transport.send(message, AbortSignal.any([signal, AbortSignal.timeout(MAIL_MS)]));
    } catch (error) {
      if (!(error instanceof MailNotSentError)) throw error;
      if (error.fate === 'not_taken') {
        if (!(await this.recordFailed(delivery, context))) await tellNextRun(context);
      } else log.warn('the fate of a mail is unknown', { message_id: delivery.messageId, err: error });
      signal.throwIfAborted();
      // The next run would be told so, but there need not be one.
      if (error.fate === 'unknown' && this.onUnknown === 'fail')
        throw deliveryUnknown({ ...delivery, since: new Date() }, context);
      throw error.permanent ? new PermanentError(error.message, { code: error.code, cause: error }) : error;
    }
  }

  /** The mail is out: a ledger that cannot be reached must not make the job fail and the mail go out twice. */
  private recordSent(delivery: Delivery, { signal, log }: Context): Promise<void> {
    const recorded = this.ledger.sent(delivery).catch((error: unknown) => {
      log.error('a sent mail could not be recorded', { message_id: delivery.messageId, err: error });
    });
    return whileTimeIsLeft(recorded, signal);
  }

  /** @returns whether it is recorded by now; it is all the same, once the ledger can be reached. */
  private async recordFailed(delivery: Delivery, { signal, log }: Context): Promise<boolean> {
    let isRecorded = false;
    const recorded = this.ledger.failed(delivery).then(
      () => {
        isRecorded = true;
      },
      (error: unknown) => {
        log.warn('the mark of a mail that was not sent could not be removed', { message_id: delivery.messageId, err: error });
      },
    );
    await whileTimeIsLeft(recorded, signal);
    return isRecorded;
  }
}

function resentIf(afterUnknown: boolean): { readonly resent_after_unknown?: true } {
  return afterUnknown ? { resent_after_unknown: true } : {};
}

/**
 * The ledger does not know yet that this run handed nothing over, so that the next one is told by the job itself. It takes a mark that
 * is left for that of a mail of unknown fate only when neither could be told.
 */
async function tellNextRun({ run, checkpoint, signal, log }: Context): Promise<void> {
  const told = checkpoint.save(withRun(knownUnsent(checkpoint), run)).catch((error: unknown) => {
    log.warn('the next run could not be told that nothing was handed over', { err: error });
  });
  await whileTimeIsLeft(told, signal);
}

/** Waits for a record, which is made without anybody waiting too, but not until the run is out of time. */
async function whileTimeIsLeft(recorded: Promise<void>, signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await endsWithin(Promise.race([recorded, once(signal, 'abort')]), LONGEST_WAIT_MS);
  if (signal.aborted) await endsWithin(recorded, LAST_WAIT_MS);
}

/** The run itself is among those that the job knows of by now. */
function awayDelay({ checkpoint }: Context): `${number}ms` {
  const { first, last } = knownUnsent(checkpoint) ?? { first: 0, last: 0 };
  return `${Math.min(FIRST_AWAY_DELAY_MS * 2 ** (last - first), LONGEST_AWAY_DELAY_MS)}ms`;
}

function deliveryUnknown(
  { jobId, messageId, since }: { readonly jobId: string; readonly messageId: string; readonly since: Date },
  { payload }: Context,
): PermanentError {
  return new PermanentError(
    `It is unknown whether this mail was sent: a run of ${jobId} began to send it at ${since.toISOString()} and ended without an answer. ` +
      `Look for ${messageId} in the mail server's log. If the mail is not there, submit it again` +
      (payload.message_key === undefined ? '.' : ' with another message_key.'),
    { code: 'delivery_unknown' },
  );
}
