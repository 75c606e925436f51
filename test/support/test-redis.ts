import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.js';

/** A Redis of a test's own, to be killed and started again on the same port and the same data. */
export class TestRedis {
  private constructor(
    readonly port: number,
    private readonly folder: string,
    private server: ChildProcess,
  ) {}

  /**
   * Resolves once it takes commands. `npm test` names the program in REDIS_SERVER.
   * @param settings as on the command line, such as `['--maxmemory', '10mb']`
   */
  static async start(settings: readonly string[] = []): Promise<TestRedis> {
    const port = await freePort();
    const folder = await mkdtemp(join(tmpdir(), 'antrean-redis-'));
    return new TestRedis(port, folder, await launch(port, folder, settings));
  }

  get url(): string {
    return `redis://127.0.0.1:${this.port}`;
  }

  /** As the kernel would for want of memory. What was answered is kept. */
  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Starts it again after a `kill`, or kills it first. */
  async restart(settings: readonly string[] = []): Promise<void> {
    await this.kill();
    this.server = await launch(this.port, this.folder, settings);
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    await this.end('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
  }

  private async end(signal: NodeJS.Signals): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const exited = once(this.server, 'exit');
    this.server.kill(signal);
    await exited;
  }
}

async function launch(port: number, folder: string, settings: readonly string[]): Promise<ChildProcess> {
  const program = process.env['REDIS_SERVER'];
  if (program === undefined) throw new Error('REDIS_SERVER is not set: run the tests with npm test, which finds a redis-server.');
  // By the default a write that was answered may wait up to two seconds for an earlier fsync, and a kill would lose it.
  const keep = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    ...keep,
    '--maxmemory-policy',
    'noeviction',
    ...settings,
  ];
  const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  let log = '';
  for await (const line of createInterface({ input: server.stdout })) {
    log += `${line}\n`;
    if (line.includes('Ready to accept connections')) {
      // Nobody reads on, and a full pipe would hold the server.
      server.stdout.resume();
      return server;
    }
  }
  throw new Error(`Redis did not start:\n${log}`);
}
