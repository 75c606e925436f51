import { execFileSync } from 'node:child_process';
import { closeSync, constants, mkdtempSync, openSync, readSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StandardOutput } from './standard-output.js';

const { O_NONBLOCK, O_RDONLY, O_WRONLY } = constants;
/** More than a pipe holds. */
const MANY = 5_000;

describe('StandardOutput', () => {
  let folder: string;
  let reader: number;
  let writer: number;

  /** All that the pipe holds. */
  function read(): string {
    const buffer = Buffer.alloc(1_048_576);
    try {
      return buffer.toString('utf8', 0, readSync(reader, buffer));
    } catch {
      return '';
    }
  }

  const line = (n: number): string => `${String(n).padStart(99, '0')}\n`;
  const linesOf = (text: string): number[] => text.split('\n').slice(0, -1).map(Number);

  beforeEach(() => {
    jest.useFakeTimers();
    folder = mkdtempSync(join(tmpdir(), 'antrean-pipe-'));
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    reader = openSync(join(folder, 'pipe'), O_RDONLY | O_NONBLOCK);
    writer = openSync(join(folder, 'pipe'), O_WRONLY | O_NONBLOCK);
  });

  afterEach(() => {
    jest.useRealTimers();
    closeSync(writer);
    rmSync(folder, { recursive: true });
  });

  it('writes a line at once', () => {
    new StandardOutput(writer).write(line(1));
    expect(read()).toBe(line(1));
    closeSync(reader);
  });

  it('holds what a reader does not take yet, and writes all of it in order when it reads on', () => {
    const output = new StandardOutput(writer);
    for (let n = 0; n < MANY; n += 1) output.write(line(n));
    let text = read();
    expect(linesOf(text).length).toBeLessThan(MANY);
    for (let round = 0; round < 20; round += 1) {
      jest.advanceTimersByTime(1_000);
      text += read();
    }
    expect(linesOf(text)).toEqual(Array.from({ length: MANY }, (_none, n) => n));
    closeSync(reader);
  });

  it('holds no more than some MiB, and tells how many lines it dropped once there is room', () => {
    const onDropped = jest.fn();
    const output = new StandardOutput(writer, onDropped);
    for (let n = 0; n < 100_000; n += 1) output.write(line(n));
    let text = '';
    for (let round = 0; round < 200; round += 1) {
      text += read();
      jest.advanceTimersByTime(1_000);
    }
    const arrived = linesOf(text).length;
    expect(arrived).toBeGreaterThan(80_000);
    expect(arrived).toBeLessThan(90_000);
    expect(onDropped.mock.calls).toEqual([[100_000 - arrived]]);
    closeSync(reader);
  });

  it('goes on without a reader', () => {
    const output = new StandardOutput(writer);
    for (let n = 0; n < MANY; n += 1) output.write(line(n));
    const listeners = process.listenerCount('exit');
    closeSync(reader);
    jest.advanceTimersByTime(1_000);
    output.write(line(1));
    expect(process.listenerCount('exit')).toBe(listeners - 1);
  });
});
