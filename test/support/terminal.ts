import { stripVTControlCharacters } from 'node:util';
import { spawn, type IPty, type IPtyForkOptions } from '@lydell/node-pty';

export const CTRL_C = '\x03';

/** A program on a pseudo-terminal, as a person would run it. */
export class Terminal {
  /** The exit code; 128 and the signal's number when a signal ended it. */
  readonly ended: Promise<number>;
  private readonly pty: IPty;
  private readonly watchers = new Set<() => void>();
  private output = '';

  constructor(command: string, args: string[], options: IPtyForkOptions) {
    this.pty = spawn(command, args, { name: 'xterm-256color', cols: 200, rows: 50, ...options });
    this.pty.onData((text) => {
      this.output += text;
      for (const look of this.watchers) look();
    });
    this.ended = new Promise((resolve) => {
      this.pty.onExit(({ exitCode, signal }) => {
        resolve(signal ? 128 + signal : exitCode);
      });
    });
  }

  /** All that was shown so far, without colours and with plain line ends. */
  get screen(): string {
    return stripVTControlCharacters(this.output).replaceAll('\r\n', '\n');
  }

  type(text: string): void {
    this.pty.write(text);
  }

  /** Resolves with the match once it is shown; fails with the screen when the program ends before, or `withinMs` is over. */
  async sees(pattern: RegExp, withinMs = 60_000): Promise<RegExpExecArray> {
    let look: () => void = () => undefined;
    let timer: NodeJS.Timeout | undefined;
    const shown = new Promise<RegExpExecArray>((resolve) => {
      look = () => {
        const match = pattern.exec(this.screen);
        if (match !== null) resolve(match);
      };
      look();
    });
    const failed = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, withinMs, `within ${withinMs} ms`);
      void this.ended.then((code) => {
        resolve(`before it ended with ${code}`);
      });
    });
    this.watchers.add(look);
    try {
      return await Promise.race([
        shown,
        failed.then((when) => {
          throw new Error(`${String(pattern)} was not shown ${when}:\n${this.screen}`);
        }),
      ]);
    } finally {
      clearTimeout(timer);
      this.watchers.delete(look);
    }
  }
}
