import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from './eventually.js';

/** One line of an application's JSON log. */
export type LogLine = Readonly<Record<string, unknown>>;

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** A built application (`npm run build` makes them) in a process and an empty working directory of its own. */
export class BuiltProcess {
  private readonly started: ChildProcess;
  private readonly exited: Promise<Exit>;
  private output = '';
  private errors = '';

  private constructor(
    entry: string,
    readonly folder: string,
    env: Readonly<Record<string, string>>,
  ) {
    const { PATH = '' } = process.env;
    this.started = spawn(process.execPath, [join(process.cwd(), entry)], {
      cwd: folder,
      env: { PATH, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.started.stdout?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.started.stderr?.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
    this.exited = new Promise((resolve) => {
      this.started.once('close', (code, signal) => {
        resolve({ code, signal });
      });
    });
  }

  /** Nothing but `env` (and PATH) is set for the process. It is started, not yet up. */
  static async start(app: 'api' | 'worker', env: Readonly<Record<string, string>>): Promise<BuiltProcess> {
    return new BuiltProcess(`dist/apps/${app}/src/main.js`, await mkdtemp(join(tmpdir(), `antrean-${app}-`)), env);
  }

  get stdout(): string {
    return this.output;
  }

  get stderr(): string {
    return this.errors;
  }

  /** The complete lines of the log so far. Throws when one is not JSON. */
  get log(): readonly LogLine[] {
    const lines = this.output.split('\n').slice(0, -1);
    // Every line of the log is an object.
    return lines.map((line) => JSON.parse(line) as LogLine);
  }

  /** The first line with this message; waits for it for a bounded time. */
  async logged(message: string): Promise<LogLine> {
    return eventually(() => {
      const line = this.log.find(({ msg }) => msg === message);
      if (line === undefined) throw new Error(`No line says "${message}":\n${this.output}${this.errors}`);
      return line;
    });
  }

  /** Where the process listens, once it says so. */
  async url(): Promise<string> {
    return eventually(() => {
      const url = this.log.find((line) => typeof line['url'] === 'string')?.['url'];
      if (typeof url !== 'string') throw new Error(`The process does not listen:\n${this.output}${this.errors}`);
      return url;
    });
  }

  /** The most memory that it has held at a time so far, in bytes, as Linux counts it (`VmHWM`), while it runs. */
  async peakMemory(): Promise<number> {
    const status = await readFile(`/proc/${this.started.pid}/status`, 'utf8');
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(status) ?? [];
    if (kibibytes === undefined) throw new Error('The process has ended: ask for its peak while it runs.');
    return Number(kibibytes) * 1_024;
  }

  kill(signal: NodeJS.Signals): void {
    this.started.kill(signal);
  }

  async exit(): Promise<Exit> {
    return this.exited;
  }

  /** Ends it at once, whatever it does, and removes its folder. */
  async dispose(): Promise<void> {
    this.started.kill('SIGKILL');
    await this.exited;
    await rm(this.folder, { recursive: true, force: true });
  }
}
