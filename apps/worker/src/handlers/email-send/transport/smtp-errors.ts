import { errorFields } from '@antrean/platform';
import { MailNotSentError } from './mail-transport.js';

/** The fields of a nodemailer error that say what happened; see nodemailer.com/errors. */
interface SmtpFault {
  readonly message: string;
  readonly code: string | undefined;
  /** The server's reply code, when it replied. */
  readonly responseCode: number | undefined;
  readonly response: string | undefined;
}

/** The mail itself, or its addresses, are the matter; no server was asked, and none would say otherwise. */
const PERMANENT_CODES: ReadonlySet<string> = new Set(['EMESSAGE', 'EENVELOPE']);
const MAX_TEXT_LENGTH = 500;

/**
 * A failed SMTP session in our own terms. Replies 4yz pass and 5yz are permanent (RFC 5321, 4.2.1), a wrong password
 * (535) among them; connection, TLS and protocol errors pass.
 * @param handedOver whether the whole mail was written before it failed. Without a refusal its fate is then unknown.
 */
export function smtpError(error: unknown, handedOver: boolean): MailNotSentError {
  const { message, code = 'error', responseCode, response } = readFault(error);
  if (responseCode !== undefined && responseCode >= 400 && responseCode <= 599) {
    // Some servers repeat what they refuse, which is the password then.
    const isLogin = code === 'EAUTH';
    const refused = isLogin ? `the user and password of SMTP_URL (${responseCode})` : oneLine(response ?? message);
    return new MailNotSentError(`The mail server refused${isLogin ? '' : ':'} ${refused}`, {
      code: `smtp_${responseCode}`,
      fate: 'not_taken',
      permanent: responseCode >= 500,
      cause: isLogin ? undefined : error,
    });
  }
  const whatIsKnown = handedOver
    ? 'The mail was handed to the mail server, and whether the server took it is not known'
    : 'The mail could not be handed to the mail server';
  return new MailNotSentError(`${whatIsKnown}: ${oneLine(message)}`, {
    code: `smtp_${code.toLowerCase()}`,
    fate: handedOver ? 'unknown' : 'not_taken',
    permanent: PERMANENT_CODES.has(code) && !handedOver,
    cause: error,
  });
}

/** The server's text, bounded and on one line, fit for a trail and a log. */
export function oneLine(text: string): string {
  const characters = Array.from(text.replaceAll(/[\p{Cc}\s]+/gu, ' ').trim());
  return characters.slice(0, MAX_TEXT_LENGTH).join('');
}

function readFault(error: unknown): SmtpFault {
  const { message, code } = errorFields(error);
  const fields: object = typeof error === 'object' && error !== null ? error : {};
  const responseCode = 'responseCode' in fields ? fields.responseCode : undefined;
  const response = 'response' in fields ? fields.response : undefined;
  return {
    message,
    code: isTimeout(error) ? 'ETIMEDOUT' : typeof code === 'string' ? code : undefined,
    responseCode: typeof responseCode === 'number' ? responseCode : undefined,
    response: typeof response === 'string' ? response : undefined,
  };
}

/** Of `AbortSignal.timeout`, whose code is a number. */
function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError';
}
