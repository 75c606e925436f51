import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

/** A POSIX shell that keeps what one script sets for the next, as a terminal does. */
export class Shell {
  private readonly started: ChildProcessWithoutNullStreams;
  private errors = '';

  /** @param folder where its scripts run. */
  constructor(folder: string) {
    this.started = spawn('sh', [], { cwd: folder });
    this.started.stdout.setEncoding('utf8');
    this.started.stderr.setEncoding('utf8').on('data', (text: string) => (this.errors += text));
  }

  /** What the script writes to standard output, once it has ended. Throws when the shell ends with it. */
  async run(script: string): Promise<string> {
    const mark = `end-${randomUUID()}`;
    this.started.stdin.write(`{ ${script}\n} </dev/null\nprintf %s ${mark}\n`);
    let output = '';
    for await (const text of this.started.stdout.iterator({ destroyOnReturn: false })) {
      output += String(text);
      if (output.endsWith(mark)) return output.slice(0, -mark.length);
    }
    throw new Error(`The shell has ended: ${this.errors}`);
  }

  async dispose(): Promise<void> {
    const { exitCode, stdin } = this.started;
    stdin.end();
    if (exitCode === null) await once(this.started, 'exit');
  }
}
