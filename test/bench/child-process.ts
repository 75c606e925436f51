import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Command, FromChild, Replies, WorkerReport } from './protocol.js';
import type { SideName } from './sides/sides.js';

const ENTRY = fileURLToPath(new URL('./child.js', import.meta.url));

interface Asked {
  readonly resolve: (value: Replies[keyof Replies]) => void;
  readonly reject: (error: Error) => void;
}

/** The parent's hold on one child process. It is asked one thing at a time. */
export class Child {
  /** Told all that a worker reports. */
  onReport: (report: WorkerReport) => void = () => undefined;
  /** Rejects when the process ends by itself. */
  readonly failure: Promise<never>;
  private asked: Asked | undefined;
  private ended: Error | undefined;

  private constructor(
    private readonly name: string,
    private readonly process: ChildProcess,
  ) {
    process.on('message', (message: FromChild) => {
      this.take(message);
    });
    this.failure = new Promise((_, reject) => {
      process.once('exit', (code, signal) => {
        this.ended = new Error(
          `The process of ${name} ended by itself (${signal ?? `exit code ${code ?? 'unknown'}`}); see above.`,
        );
        this.asked?.reject(this.ended);
        reject(this.ended);
      });
    });
    // Whoever waits for something else as well looks at it; nobody has to.
    this.failure.catch(() => undefined);
  }

  /** Resolves when it is connected to Redis. What it logs goes to this process' standard error. */
  static async start(side: SideName, redisUrl: string, nodeArgs: readonly string[]): Promise<Child> {
    const process = fork(ENTRY, [side, redisUrl], { execArgv: [...nodeArgs], stdio: ['ignore', 2, 2, 'ipc'] });
    const child = new Child(side, process);
    await child.expect();
    return child;
  }

  async ask<C extends Command>(command: C): Promise<Replies[C['do']]> {
    const reply = this.expect();
    this.process.send(command);
    // A child answers what it was asked.
    return (await reply) as Replies[C['do']];
  }

  /** It ends at once, with all that it holds. */
  async stop(): Promise<void> {
    if (this.ended !== undefined) return;
    const gone = once(this.process, 'exit');
    this.process.disconnect();
    await gone;
  }

  private expect(): Promise<Replies[keyof Replies]> {
    if (this.ended !== undefined) return Promise.reject(this.ended);
    return new Promise((resolve, reject) => {
      this.asked = { resolve, reject };
    });
  }

  private take(message: FromChild): void {
    switch (message.kind) {
      case 'ready':
        this.asked?.resolve(null);
        break;
      case 'reply':
        this.asked?.resolve(message.value);
        break;
      case 'failed':
        this.asked?.reject(new Error(`${this.name}: ${message.message}`));
        break;
      case 'report':
        this.onReport(message.report);
        break;
    }
  }
}
