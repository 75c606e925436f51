import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Program = 'api' | 'worker' | 'load' | 'soak-load' | 'crowd' | 'observer' | 'reader' | 'receiver';

export interface PlaceSettings {
  readonly name: string;
  readonly program: Program;
  /** Where its log goes. */
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
}

/** A place that one process after another takes: who dies there is followed by a new one. They end with this process. */
export class Place {
  /** Rejects when a process ends that nobody killed. */
  readonly failure: Promise<never>;
  /** Whether a fault is at work here that another one would spoil. */
  taken = false;
  private boots = 0;
  private child: ChildProcess | undefined;
  private fail: (error: Error) => void = () => undefined;

  constructor(private readonly settings: PlaceSettings) {
    this.failure = new Promise((_, reject) => (this.fail = reject));
    // Whoever runs the campaign looks at it; nobody has to.
    this.failure.catch(() => undefined);
  }

  get name(): string {
    return this.settings.name;
  }

  /** The name of the process that is there now. */
  get process(): string {
    return `${this.name}.${this.boots}`;
  }

  /** Of that process; undefined while there is none. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Resolves once it says that it is up. */
  async start(): Promise<void> {
    this.boots += 1;
    const { program, folder, env } = this.settings;
    const log = openSync(this.logFile, 'a');
    const child = fork(fileURLToPath(new URL(`../programs/${program}.js`, import.meta.url)), {
      cwd: folder,
      env: { PATH: process.env['PATH'], ...env, CHAOS_PROCESS: this.process },
      execArgv: ['--expose-gc'],
      stdio: ['ignore', log, log, 'ipc'],
    });
    closeSync(log);
    this.child = child;
    child.once('exit', (code, signal) => {
      if (this.child === child) {
        this.fail(
          new Error(`${this.process} ended by itself (${signal ?? `exit code ${code ?? 'unknown'}`}); see ${this.logFile}.`),
        );
      }
    });
    await this.heard('up');
  }

  /** Resolves once it is gone. */
  async kill(): Promise<void> {
    const child = this.child;
    this.child = undefined;
    if (child === undefined) return;
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  }

  /** Stops it, or lets it go on. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.child?.kill(signal);
  }

  tell(message: string): void {
    this.child?.send(message);
  }

  /** Resolves once it says so. */
  async heard(message: string): Promise<void> {
    const { child } = this;
    if (child === undefined) return;
    await new Promise<void>((resolve) => {
      const listen = (heard: unknown) => {
        if (heard !== message) return;
        child.off('message', listen);
        resolve();
      };
      child.on('message', listen);
    });
  }

  /** Resolves to what the objects of its process take. */
  async heapBytes(): Promise<number> {
    const { child } = this;
    if (child === undefined) throw new Error(`There is no process at ${this.name}.`);
    return new Promise((resolve) => {
      const listen = (heard: unknown) => {
        if (typeof heard !== 'object' || heard === null || !('heapBytes' in heard)) return;
        child.off('message', listen);
        resolve(Number(heard.heapBytes));
      };
      child.on('message', listen);
      child.send('heap');
    });
  }

  private get logFile(): string {
    return join(this.settings.folder, `${this.name}.log`);
  }
}
