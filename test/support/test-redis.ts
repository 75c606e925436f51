import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './free-port.js';
import { RedisProcess } from './redis-process.js';

/** A Redis of a test's own, to be killed and started again on the same port and the same data. */
export class TestRedis {
  private constructor(
    readonly port: number,
    /** Where its data are. */
    readonly folder: string,
    private server: RedisProcess,
  ) {}

  /**
   * Resolves once it takes commands.
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
    await this.server.end('SIGKILL');
  }

  /** Starts it again after a `kill`, or kills it first. */
  async restart(settings: readonly string[] = []): Promise<void> {
    await this.kill();
    this.server = await launch(this.port, this.folder, settings);
  }

  /** It stands still, though its connections stay, until it is thawed. */
  freeze(): void {
    this.server.signal('SIGSTOP');
  }

  thaw(): void {
    this.server.signal('SIGCONT');
  }

  /** Ends it and removes its data. */
  async stop(): Promise<void> {
    // One that stands still would not hear the other signal.
    this.thaw();
    await this.server.end('SIGTERM');
    await rm(this.folder, { recursive: true, force: true });
  }
}

function launch(port: number, folder: string, settings: readonly string[]): Promise<RedisProcess> {
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  // By the default a write that was answered may wait up to two seconds for an earlier fsync, and a kill would lose it.
  const keep = ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  return RedisProcess.start([...place, ...keep, '--maxmemory-policy', 'noeviction', ...settings]);
}
