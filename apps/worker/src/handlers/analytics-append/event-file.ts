import { mkdir, open, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errorFields } from '@antrean/platform';

const NEW_LINE = 0x0a;

/** A file that lines are added to, also by other processes of the machine at the same time. */
export class EventFile {
  constructor(private readonly path: string) {}

  /** In bytes; 0 when there is no file yet. */
  async size(): Promise<number> {
    const found = await stat(this.path).catch((error: unknown) => {
      if (errorFields(error).code === 'ENOENT') return undefined;
      throw error;
    });
    return found?.size ?? 0;
  }

  /** Resolves when the line is on the disk. A line before it that was cut short, by a full disk say, is not made longer. */
  async append(line: string): Promise<void> {
    await mkdir(dirname(this.path), { recursive: true });
    const file = await open(this.path, 'a+');
    try {
      // In one go: so lines of several processes do not mix.
      await file.appendFile(`${(await endsInLine(file)) ? '\n' : ''}${line}\n`);
      await file.datasync();
    } finally {
      await file.close();
    }
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
}

/** Whether the last line has no end. */
async function endsInLine(file: FileHandle): Promise<boolean> {
  const { size } = await file.stat();
  if (size === 0) return false;
  const { buffer } = await file.read(Buffer.alloc(1), 0, 1, size - 1);
  return buffer[0] !== NEW_LINE;
}
