import { Readable } from 'node:stream';
import SmtpConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import type { MailMessage } from '../message/mail-message.js';

export interface SmtpCredentials {
  readonly user: string;
  readonly pass: string;
}

/** How long a server is given to answer QUIT. The mail is sent by then, so nobody waits for it. */
const QUIT_TIMEOUT_MS = 2_000;

/**
 * One connection for one mail. A connection is not shared, so that ending a hanging one ends nobody else's mail.
 * Any step rejects as soon as the connection breaks or the signal fires; the signal destroys the socket.
 */
export class SmtpSession {
  private readonly connection: SmtpConnection;
  private readonly broken: Promise<never>;
  private wholeMailWritten = false;

  constructor(options: SMTPConnectionOptions, signal: AbortSignal) {
    // Without a close timeout the library destroys a socket instead of waiting for the other side.
    this.connection = new SmtpConnection({ ...options, socketCloseTimeout: 0 });
    this.broken = new Promise((_resolve, reject) => {
      this.connection.on('error', reject);
      const abort = () => {
        this.connection.close();
        reject(signal.reason as Error); // Always an error: the engine gives one, and so does `AbortSignal` by itself.
      };
      this.connection.once('end', () => {
        signal.removeEventListener('abort', abort);
      });
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort);
    });
    // It may break while no step waits for it.
    this.broken.catch(() => undefined);
  }

  /** True once the last byte of the mail may have left: from here on the server may take it without our knowing. */
  get handedOver(): boolean {
    return this.wholeMailWritten;
  }

  /** Connects, greets, upgrades to TLS where the server offers it, and logs in where it asks for that. */
  async open(credentials: SmtpCredentials | undefined): Promise<void> {
    await this.step((done) => {
      this.connection.connect(done);
    });
    if (credentials === undefined || !this.connection.allowsAuth) return;
    await this.step((done) => {
      this.connection.login({ credentials }, done);
    });
  }

  /** Hands the mail over and waits for the server's last word: what it says on taking it. */
  async deliver({ from, to, raw }: MailMessage): Promise<string> {
    return this.step((done) => {
      this.connection.send(
        { from, to: [to], size: raw.length },
        Readable.from(this.body(raw), { objectMode: false }),
        (error, info) => {
          done(error, error ? '' : info.response);
        },
      );
    });
  }

  /** Takes leave in the background. */
  quit(): void {
    const timer = setTimeout(() => {
      this.connection.close();
    }, QUIT_TIMEOUT_MS);
    timer.unref();
    this.connection.once('end', () => {
      clearTimeout(timer);
    });
    this.connection.quit();
  }

  destroy(): void {
    this.connection.close();
  }

  /** Read by the library only after the server said 354, and to its end before the closing dot is written. */
  private *body(raw: Buffer): Generator<Buffer> {
    yield raw;
    this.wholeMailWritten = true;
  }

  private async step<T>(start: (done: (error?: Error | null, result?: T) => void) => void): Promise<T> {
    const finished = new Promise<T>((resolve, reject) => {
      start((error, result) => {
        if (error) reject(error);
        else resolve(result as T); // The library gives a result whenever it gives no error.
      });
    });
    return Promise.race([finished, this.broken]);
  }
}
