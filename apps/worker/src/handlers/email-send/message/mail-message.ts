import { domainToASCII } from 'node:url';
import type { Sender } from '@antrean/platform';
import MimeComposer from 'nodemailer/lib/mail-composer';
import type { RenderedMail } from './mail-template.js';

/** A finished mail, ready to be handed over. */
export interface MailMessage {
  /** With its angle brackets. */
  readonly messageId: string;
  readonly from: string;
  readonly to: string;
  /** The whole of it: header, empty line, body; ASCII, CRLF. */
  readonly raw: Buffer;
}

export interface MailParts {
  readonly sender: Sender;
  readonly to: string;
  readonly content: RenderedMail;
  readonly deliveryId: string;
  readonly jobId: string;
  readonly date: Date;
}

/** Composes a `multipart/alternative` mail of a text and an HTML part. */
export async function composeMail({ sender, to, content, deliveryId, jobId, date }: MailParts): Promise<MailMessage> {
  const messageId = `<${deliveryId}@${sender.domain}>`;
  const recipient = withAsciiDomain(to);
  const composer = new MimeComposer({
    from: { name: sender.name, address: sender.address },
    to: { name: '', address: recipient },
    subject: content.subject,
    text: content.text,
    html: content.html,
    messageId,
    date,
    // RFC 3834: keeps other machines, such as holiday replies, from answering.
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Antrean-Job-Id': jobId },
    newline: 'windows',
  });
  return { messageId, from: sender.address, to: recipient, raw: await composer.compile().build() };
}

function withAsciiDomain(address: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}@${domainToASCII(address.slice(at + 1))}`;
}
