import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { MailMessage } from '../message/mail-message.js';
import { MailNotSentError, MailTransport, type MailReceipt } from './mail-transport.js';

/** How a mail is called that is being written. */
const UNFINISHED = /^\..+\.eml\..+\.tmp$/;
/** Twice what a mail may take. */
const ABANDONED_MS = 60_000;

/** Writes each mail as an `.eml` file instead of sending it. The same mail written again replaces its file. */
export class FileTransport extends MailTransport {
  private swept: Promise<void> | undefined;

  constructor(private readonly folder: string) {
    super();
  }

  override async send(message: MailMessage, signal: AbortSignal): Promise<MailReceipt> {
    const name = `${fileStem(message.messageId)}.eml`;
    try {
      await mkdir(this.folder, { recursive: true });
      // What cannot be removed harms no mail.
      await (this.swept ??= removeAbandoned(this.folder).catch(() => undefined));
      await writeWhole(this.folder, name, message.raw, signal);
      return { via: 'file', accepted: [message.to], response: `Written as ${name}` };
    } catch (error) {
      throw fileError(error);
    }
  }
}

/** Of processes that ended while they wrote. */
async function removeAbandoned(folder: string): Promise<void> {
  const unfinished = (await readdir(folder)).filter((name) => UNFINISHED.test(name));
  for (const path of unfinished.map((name) => join(folder, name))) {
    // It may have got its name meanwhile.
    const file = await stat(path).catch(() => undefined);
    if (file !== undefined && Date.now() - file.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
}

/** The file is there with all its content, or not at all. */
async function writeWhole(folder: string, name: string, content: Buffer, signal: AbortSignal): Promise<void> {
  const unfinished = join(folder, `.${name}.${randomUUID()}.tmp`);
  const file = await open(unfinished, 'wx');
  try {
    try {
      await file.writeFile(content, { signal });
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(unfinished, join(folder, name));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/** The part of a Message-ID before its `@`, with nothing in it that means something to a file system. */
function fileStem(messageId: string): string {
  return messageId
    .replace(/^</, '')
    .replace(/@.*$/s, '')
    .replaceAll(/[^A-Za-z0-9-]/g, '_')
    .slice(0, 100);
}

function fileError(error: unknown): MailNotSentError {
  const { code = 'error', message } = error as NodeJS.ErrnoException; // Node's file system throws nothing else.
  return new MailNotSentError(`The mail could not be written: ${message}`, {
    code: `file_${code.toLowerCase()}`,
    fate: 'not_taken',
    permanent: false,
    cause: error,
  });
}
