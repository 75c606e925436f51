import { openSync, writeSync, constants } from 'node:fs';
import { isatty } from 'node:tty';

/** Beyond this, lines that nobody takes are dropped, the new ones: the process is not to grow by its log. */
const MAX_WAITING_BYTES = 8 * 1_024 * 1_024;
const LINES_A_WRITE = 500;
/** Until the next try, when the last one wrote nothing, or something: then somebody reads, and a pipe holds little. */
const RETRY_MS = { unread: 50, read: 1 };
const EXIT_RETRY_MS = 10;
/** At the end of the process: how long a reader may take nothing, and how long all of it may last. */
const EXIT_STALL_MS = 1_000;
const EXIT_MS = 5_000;

/**
 * Writes lines at once and without ever waiting for whoever reads them: what they do not take yet is held and written later,
 * at the latest when the process ends. Nobody who has stopped to read keeps the process from its work, nor from its end.
 */
export class StandardOutput {
  private lines: string[] = [];
  /** What is left of the lines that were begun. */
  private begun: Buffer = Buffer.alloc(0);
  private waitingBytes = 0;
  private dropped = 0;

  /**
   * @param fd must not block: a write that it cannot take fails with EAGAIN. Standard output when it is left out.
   * @param onDropped learns how many lines were dropped, once there is room again.
   */
  constructor(
    private fd?: number,
    private readonly onDropped: (lines: number) => void = () => undefined,
  ) {}

  write(line: string): void {
    const bytes = Buffer.byteLength(line);
    if (this.waitingBytes + bytes > MAX_WAITING_BYTES) {
      this.dropped += 1;
      return;
    }
    const first = this.waitingBytes === 0;
    this.lines.push(line);
    this.waitingBytes += bytes;
    // Behind others it waits for their timer.
    if (!first) return;
    this.writeWaiting();
    if (this.waitingBytes === 0) return;
    process.once('exit', this.writeLast);
    this.writeLater(RETRY_MS.unread);
  }

  private writeLater(inMs: number): void {
    setTimeout(() => {
      const before = this.waitingBytes;
      this.writeWaiting();
      if (this.waitingBytes > 0) {
        this.writeLater(this.waitingBytes < before ? RETRY_MS.read : RETRY_MS.unread);
        return;
      }
      process.off('exit', this.writeLast);
      const lines = this.dropped;
      this.dropped = 0;
      if (lines > 0) this.onDropped(lines);
    }, inMs).unref();
  }

  /** There is no event loop any more: the thread itself has to wait. */
  private readonly writeLast = (): void => {
    const clock = new Int32Array(new SharedArrayBuffer(4));
    const end = performance.now() + EXIT_MS;
    let stallEnd = performance.now() + EXIT_STALL_MS;
    while (this.waitingBytes > 0 && performance.now() < Math.min(end, stallEnd)) {
      const before = this.waitingBytes;
      this.writeWaiting();
      if (this.waitingBytes < before) stallEnd = performance.now() + EXIT_STALL_MS;
      if (this.waitingBytes > 0) Atomics.wait(clock, 0, 0, EXIT_RETRY_MS);
    }
  };

  private writeWaiting(): void {
    try {
      while (this.waitingBytes > 0) {
        if (this.begun.length === 0) this.begun = Buffer.from(this.lines.splice(0, LINES_A_WRITE).join(''));
        this.fd ??= nonBlockingStdout();
        const taken = writeSync(this.fd, this.begun);
        this.begun = this.begun.subarray(taken);
        this.waitingBytes -= taken;
      }
    } catch (error) {
      if (isBusy(error)) return;
      // The reader is gone, or the disk full: no reason to end the process, and nothing that waiting would mend.
      this.dropped += this.lines.length + Math.sign(this.begun.length);
      this.lines = [];
      this.begun = Buffer.alloc(0);
      this.waitingBytes = 0;
    }
  }
}

function isBusy(error: unknown): boolean {
  // What `fs` throws.
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EAGAIN' || code === 'EBUSY';
}

/** Of a file the writes wait for the disk, as ever. */
function nonBlockingStdout(): number {
  // Node opens a pipe or a socket, once it is asked for it, so that it does not block. In a thread it has no number.
  const fd = (process.stdout as { fd?: number }).fd ?? 1;
  if (!isatty(fd)) return fd;
  try {
    // A terminal blocks. Opened anew, it does not, and only for us: the shell has the same one.
    return openSync('/dev/stdout', constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch {
    return fd;
  }
}
