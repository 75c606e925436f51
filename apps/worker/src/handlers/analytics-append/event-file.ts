import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { PassingStorageError, errorFields } from '@antrean/platform';

const NEW_LINE = 0x0a;
const LOOK_AGAIN_MS = 500;

/** The file cannot be read or written: its disk is full, say, until somebody makes room. */
class EventFileError extends PassingStorageError {
  readonly code = 'event_file_unfit';

  constructor(path: string, cause: unknown) {
    const { code, message } = errorFields(cause);
    super(`The file ${path} of ANALYTICS_FILE cannot be used (${code ?? message}): see its disk and its rights.`, { cause });
  }
}

/** A file that lines are added to, also by other processes of the machine at the same time. What it does throws {@link EventFileError}. */
export class EventFile {
  constructor(private readonly path: string) {}

  /** In bytes; 0 when there is no file yet. */
  size(): Promise<number> {
    return this.told(sizeOf(this.path));
  }

  /** Resolves when the line is on the disk. A line before it that was cut short, by a full disk say, is not made longer. */
  append(line: string): Promise<void> {
    return this.told(append(this.path, line));
  }

  /** Whether the line stands there, from a place on that the file had as its size; in all of it where it is shorter now. */
  holds(line: string, from: number): Promise<boolean> {
    return this.told(holds(this.path, line, from));
  }

  private async told<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      throw new EventFileError(this.path, error);
    }
  }
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (errorFields(error).code === 'ENOENT') return 0;
    throw error;
  }
}

async function append(path: string, line: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(path, 'a+');
  try {
    // In one go: so lines of several processes do not mix.
    await file.appendFile(`${(await isCutShort(file)) ? '\n' : ''}${line}\n`);
    await file.datasync();
  } finally {
    await file.close();
  }
}

async function holds(path: string, line: string, from: number): Promise<boolean> {
  const size = await sizeOf(path);
  if (size === 0) return false;
  const file = await open(path, 'r');
  try {
    for await (const each of file.readLines({ start: from > size ? 0 : from })) if (each === line) return true;
    return false;
  } finally {
    await file.close();
  }
}

/** Whether the last line has no end, and gets none. One that is just being written by somebody else may be seen in part. */
async function isCutShort(file: FileHandle): Promise<boolean> {
  for (let before = NaN; ;) {
    const { size } = await file.stat();
    if (size === 0) return false;
    const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
    if (buffer[0] === NEW_LINE) return false;
    if (size === before) return true;
    before = size;
    await pause(LOOK_AGAIN_MS);
  }
}
