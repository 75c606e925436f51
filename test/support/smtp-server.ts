import { once } from 'node:events';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions, type SMTPServerSession } from 'smtp-server';

/** Where a session can be met: before the greeting, at each command's reply, and after the mail's closing dot (`data`). */
export type SmtpStep = 'connect' | 'auth' | 'sender' | 'recipient' | 'data';

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly raw: string;
  readonly email: Email;
}

type Reaction =
  | { readonly kind: 'refuse'; readonly code: number; readonly text: string }
  /** Answers no more. */
  | { readonly kind: 'hang' }
  /** Cuts the connection without an answer. */
  | { readonly kind: 'drop' }
  /** Goes on when it is told to. */
  | { readonly kind: 'hold'; readonly released: Promise<void> };

interface Plan {
  readonly step: SmtpStep;
  readonly reaction: Reaction;
  times: number;
}

export interface SmtpTestServerOptions {
  /** Asks for a login and takes these only. */
  readonly login?: { readonly user: string; readonly pass: string };
  /** Offers STARTTLS with a certificate that nobody signed. */
  readonly startTls?: boolean;
  /** Largest mail in bytes that it says it takes. */
  readonly maxBytes?: number;
}

/** A real SMTP server on a free port of the loopback interface that takes mails, or misbehaves as planned. */
export class SmtpTestServer {
  /** Mails that were answered with 250. */
  readonly received: ReceivedMail[] = [];
  private readonly plans: Plan[] = [];
  private readonly sockets = new Set<Socket>();
  private readonly visits = new Map<SmtpStep, { count: number; waiting: { count: number; resolve: () => void }[] }>();
  private readonly server: SMTPServer;

  private constructor(private readonly options: SmtpTestServerOptions) {
    const base: SMTPServerOptions = {
      logger: false,
      allowInsecureAuth: true,
      authOptional: options.login === undefined,
      disabledCommands: [...(options.startTls ? [] : ['STARTTLS']), ...(options.login ? [] : ['AUTH'])],
      disableReverseLookup: true,
      ...(options.maxBytes === undefined ? {} : { size: options.maxBytes }),
    };
    this.server = new SMTPServer({
      ...base,
      onConnect: (session, callback) => {
        this.meet('connect', session, callback);
      },
      onAuth: ({ username, password }, session, callback) => {
        this.meet('auth', session, (error) => {
          const known = username === options.login?.user && password === options.login?.pass;
          if (error) callback(error);
          else callback(known ? null : replyError(535, '5.7.8 Authentication credentials invalid'), { user: username ?? '' });
        });
      },
      onMailFrom: (_address, session, callback) => {
        this.meet('sender', session, callback);
      },
      onRcptTo: (_address, session, callback) => {
        this.meet('recipient', session, callback);
      },
      onData: (stream, session, callback) => {
        // A client that goes away in the middle of its mail is what some tests are about.
        this.take(stream, session, callback).catch(callback);
      },
    });
    this.server.server.on('connection', (socket: Socket) => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    // Clients that cut their connection are what some tests are about.
    this.server.on('error', () => undefined);
  }

  static async start(options: SmtpTestServerOptions = {}): Promise<SmtpTestServer> {
    const server = new SmtpTestServer(options);
    await once(server.server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  /** For `SMTP_URL`, with the login when one is asked for. */
  get url(): string {
    const { port } = this.server.server.address() as AddressInfo; // It listens on a TCP port.
    const { login } = this.options;
    const credentials = login === undefined ? '' : `${encodeURIComponent(login.user)}:${encodeURIComponent(login.pass)}@`;
    return `smtp://${credentials}127.0.0.1:${port}`;
  }

  get openConnections(): number {
    return this.sockets.size;
  }

  refuse(step: SmtpStep, code: number, text: string, times = 1): void {
    this.plans.push({ step, reaction: { kind: 'refuse', code, text }, times });
  }

  hang(step: SmtpStep, times = 1): void {
    this.plans.push({ step, reaction: { kind: 'hang' }, times });
  }

  drop(step: SmtpStep, times = 1): void {
    this.plans.push({ step, reaction: { kind: 'drop' }, times });
  }

  /** Keeps one session waiting at the step until the function is called. */
  hold(step: SmtpStep): () => void {
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    this.plans.push({ step, reaction: { kind: 'hold', released }, times: 1 });
    return release;
  }

  /** Resolves when sessions have come to the step `count` times since the start. */
  async reached(step: SmtpStep, count = 1): Promise<void> {
    const visit = this.visitsOf(step);
    if (visit.count >= count) return;
    return new Promise((resolve) => visit.waiting.push({ count, resolve }));
  }

  /** Resolves when a session comes to the step from now on. */
  async next(step: SmtpStep): Promise<void> {
    return this.reached(step, this.visitsOf(step).count + 1);
  }

  /** Forgets the plans that no session has met. */
  behave(): void {
    this.plans.length = 0;
  }

  /** Resolves when no client is connected any more. */
  async untilIdle(): Promise<void> {
    await Promise.all([...this.sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))));
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.server.close(resolve);
    });
  }

  private async take(
    stream: NodeJS.ReadableStream,
    session: SMTPServerSession,
    callback: (error?: Error | null, message?: string) => void,
  ): Promise<void> {
    const raw = await text(stream);
    const { mailFrom, rcptTo } = session.envelope;
    const email = await PostalMime.parse(raw);
    this.meet('data', session, (error) => {
      if (error) {
        callback(error);
        return;
      }
      this.received.push({
        from: mailFrom === false ? '' : mailFrom.address,
        to: rcptTo.map(({ address }) => address),
        raw,
        email,
      });
      callback(null, `Taken as ${this.received.length}`);
    });
  }

  private meet(step: SmtpStep, session: SMTPServerSession, proceed: (error?: Error | null) => void): void {
    const plan = this.plans.find((candidate) => candidate.step === step && candidate.times > 0);
    if (plan !== undefined) plan.times -= 1;
    this.countVisit(step);
    switch (plan?.reaction.kind) {
      case undefined:
        proceed();
        return;
      case 'refuse':
        proceed(replyError(plan.reaction.code, plan.reaction.text));
        return;
      case 'drop':
        this.socketOf(session)?.destroy();
        return;
      case 'hang':
        return;
      case 'hold':
        void plan.reaction.released.then(() => {
          proceed();
        });
        return;
    }
  }

  private countVisit(step: SmtpStep): void {
    const visit = this.visitsOf(step);
    visit.count += 1;
    for (const { count, resolve } of visit.waiting) if (visit.count >= count) resolve();
  }

  private visitsOf(step: SmtpStep) {
    const visit = this.visits.get(step) ?? { count: 0, waiting: [] };
    this.visits.set(step, visit);
    return visit;
  }

  private socketOf(session: SMTPServerSession): Socket | undefined {
    return [...this.sockets].find(({ remotePort }) => remotePort === session.remotePort);
  }
}

function replyError(responseCode: number, text: string): Error {
  return Object.assign(new Error(text), { responseCode });
}
