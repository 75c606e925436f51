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
    const { code } = errorFields(cause);
    super(`The file ${path} of ANALYTICS_FILE cannot be used (${code}): see its disk and its rights.`, { cause });
  }
}

/** A file that lines are added to, also by other processes of the machine at the same time. */
export class EventFile {
  constructor(private readonly path: string) {}

  /** In bytes; 0 when there is no file yet. @throws {EventFileError} */
  async size(): Promise<number> {
    try {
      return (await stat(this.path)).size;
    } catch (error) {
      if (errorFields(error).code === 'ENOENT') return 0;
      throw new EventFileError(this.path, error);
    }
  }

  /** Resolves when the line is on the disk. A line before it that was cut short, by a full disk say, is not made longer. @throws {EventFileError} */
  async append(line: string): Promise<void> {
    await this.add(line).catch((error: unknown) => {
      throw new EventFileError(this.path, error);
    });
  }

  /** Whether the line stands there, from a place on that the file had as its size; in all of it where it is shorter now. */
  async holds(line: string, from: number): Promise<boolean> {
    const size = await this.size();
    if (size === 0) return false;
    const file = await open(this.path, 'r');
    try {
      for await (const each of file.readLines({ start: from > size ? 0 : from })) if (each === line) return true;
      return false;
    } finally {
      await file.close();
    }
  }

  private async add(line: string): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    const file = await open(this.path, 'a+');
    try {
      // In one go: so lines of several processes do not mix.
      await file.appendFile(`${(await isCutShort(file)) ? '\n' : ''}${line}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
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
