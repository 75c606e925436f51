import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

/** A redis-server, or a sentinel, in a process of its own. `npm test` names the program in REDIS_SERVER. */
export class RedisProcess {
  private constructor(private readonly server: ChildProcess) {}

  /**
   * @param args as on the command line
   * @param ready is part of the line that it logs once it takes commands
   */
  static async start(args: readonly string[], ready = 'Ready to accept connections'): Promise<RedisProcess> {
    const program = process.env['REDIS_SERVER'];
    if (program === undefined)
      throw new Error('REDIS_SERVER is not set: run the tests with npm test, which finds a redis-server.');
    const server = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    let log = '';
    for await (const line of createInterface({ input: server.stdout })) {
      log += `${line}\n`;
      if (line.includes(ready)) {
        // Nobody reads on, and a full pipe would hold the server.
        server.stdout.resume();
        return new RedisProcess(server);
      }
    }
    throw new Error(`Redis did not start:\n${log}`);
  }

  /** Stands still until SIGCONT, though its connections stay. */
  signal(signal: 'SIGSTOP' | 'SIGCONT'): void {
    this.server.kill(signal);
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    if (this.server.exitCode !== null || this.server.signalCode !== null) return;
    const exited = once(this.server, 'exit');
    this.server.kill(signal);
    await exited;
  }
}
