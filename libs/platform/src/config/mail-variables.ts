import { parseSender } from '../mail/sender.js';
import { choice } from './choice-variable.js';
import { Wrong, type Variable } from './variable.js';

/** The server that mails are handed to; undefined: they are written as files. */
export const smtpUrl: Variable<string | undefined> = {
  name: 'SMTP_URL',
  expected: 'a URL of the form smtp://user:password@host:port or smtps://…',
  fallback: undefined,
  secret: true,
  parse: (text) => {
    if (!URL.canParse(text))
      return new Wrong('it is not a URL; a user or password with special characters must be percent-encoded');
    const { protocol, hostname } = new URL(text);
    if (protocol !== 'smtp:' && protocol !== 'smtps:') return new Wrong('it does not begin with smtp:// or smtps://');
    return hostname === '' ? new Wrong('it names no host') : text;
  },
};

/** The sender of all mails. */
export const mailFrom: Variable<string> = {
  name: 'MAIL_FROM',
  expected: 'one mailbox on one line, plain ASCII before its @, such as shop@example.com or "Shop <shop@example.com>"',
  fallback: 'Antrean <antrean@localhost>',
  parse: (text) => {
    try {
      parseSender(text);
      return text;
    } catch {
      return new Wrong();
    }
  },
};

/** What to do with a mail of which nobody knows whether the server took it. */
export const emailOnUnknown = choice('EMAIL_ON_UNKNOWN', ['resend', 'fail'], 'resend');
