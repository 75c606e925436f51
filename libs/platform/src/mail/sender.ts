import { domainToASCII } from 'node:url';
import parseAddresses from 'nodemailer/lib/addressparser';
import isEmail from 'validator/lib/isEmail.js';

/** Who the mails are from. */
export interface Sender {
  /** The display name, empty when there is none. */
  readonly name: string;
  readonly address: string;
  /** Of the address, in ASCII; the right side of every Message-ID. */
  readonly domain: string;
}

/**
 * @param text one mailbox: `antrean@example.com` or `Antrean <antrean@example.com>`.
 * @throws {TypeError} when it is something else, has a line end (nobody slips in a header field), or a part before the `@`
 * that is not plain ASCII.
 */
export function parseSender(text: string): Sender {
  const [mailbox, ...others] = parseAddresses(text);
  const [, local, domain] = /^([!-?A-~]+)@([^@\s]+)$/.exec(mailbox?.address ?? '') ?? [];
  const ascii = domainToASCII(domain ?? '');
  const wellFormed = isEmail.default(text, { allow_display_name: true, require_tld: false });
  if (!wellFormed || mailbox === undefined || others.length > 0 || local === undefined || ascii === '') {
    throw new TypeError(`"${text}" is no sender: write one mailbox, such as Antrean <antrean@example.com>.`);
  }
  return { name: mailbox.name, address: `${local}@${ascii}`, domain: ascii };
}
