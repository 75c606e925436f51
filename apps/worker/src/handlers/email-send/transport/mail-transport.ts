import type { MailMessage } from '../message/mail-message.js';

/** What a mail server (or the file system) said when it took a mail. */
export interface MailReceipt {
  readonly via: 'smtp' | 'file';
  readonly accepted: readonly string[];
  readonly response: string;
}

/** The way out for mails. */
export abstract class MailTransport {
  /**
   * Hands the mail over. The signal ends it promptly whatever it waits for.
   * @throws {MailNotSentError} for every failure, also the signal's.
   */
  abstract send(message: MailMessage, signal: AbortSignal): Promise<MailReceipt>;
}

/**
 * `not_taken`: the mail was certainly not taken.
 * `unknown`: it was handed over whole, and no answer came; it may be on its way.
 */
export type MailFate = 'not_taken' | 'unknown';

/** A mail was not sent, as far as is known. */
export class MailNotSentError extends Error {
  override readonly name = 'MailNotSentError';
  /** Stable: `smtp_<reply code>`, `smtp_<library's code>`, `file_<system's code>`. */
  readonly code: string;
  readonly fate: MailFate;
  /** True when the same mail would be refused again. */
  readonly permanent: boolean;

  constructor(
    message: string,
    {
      code,
      fate,
      permanent,
      cause,
    }: { readonly code: string; readonly fate: MailFate; readonly permanent: boolean; readonly cause: unknown },
  ) {
    super(message, { cause });
    this.code = code;
    this.fate = fate;
    this.permanent = permanent;
  }
}
