import { parseConnectionUrl } from 'nodemailer/lib/shared';
import type { SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import type { MailMessage } from '../message/mail-message.js';
import { MailTransport, type MailReceipt } from './mail-transport.js';
import { oneLine, smtpError } from './smtp-errors.js';
import { SmtpSession, type SmtpCredentials } from './smtp-session.js';

/** Shorter than a job's timeout, so that an attempt ends with what it waited for and not just with "timed out". */
const DEFAULTS = { connectionTimeout: 10_000, greetingTimeout: 10_000, dnsTimeout: 10_000 };

/** Sends mails to the server that `SMTP_URL` names. */
export class SmtpTransport extends MailTransport {
  private readonly options: SMTPConnectionOptions;
  private readonly credentials: SmtpCredentials | undefined;

  /** @param url `smtp[s]://[user:password@]host[:port][?option=value]`; options are those of nodemailer's SMTP connection. */
  constructor(url: string) {
    super();
    const { auth, ...options } = parseConnectionUrl(url);
    // The library can write whole mails and sessions to the console; an address is no place to ask for that.
    this.options = { ...DEFAULTS, ...options, logger: false, debug: false, transactionLog: false };
    this.credentials = auth;
  }

  override async send(message: MailMessage, signal: AbortSignal): Promise<MailReceipt> {
    const session = new SmtpSession(this.options, signal);
    try {
      await session.open(this.credentials);
      const response = await session.deliver(message);
      session.quit();
      return { via: 'smtp', accepted: [message.to], response: oneLine(response) };
    } catch (error) {
      session.destroy();
      throw smtpError(error, session.handedOver);
    }
  }
}
