import { randomUUID } from 'node:crypto';
import { lstat, mkdir, open, readdir, rename, rm, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { unlessAbsent } from './folder-errors.js';

export interface UnfinishedFile {
  readonly path: string;
  readonly handle: FileHandle;
}

/** Names begin with no dot, so no file of ours is in this folder. It is beside them, as only that makes a rename atomic. */
const FOLDER = '.unfinished';
/** Who writes touches the file with each block; one that had none for a day belongs to a process that is gone. */
const ABANDONED_MS = 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;

/** Files that are being written, and folders that are being deleted: nobody sees what is here. */
export class UnfinishedFiles {
  private readonly folder: string;
  private sweptAtMs = -Infinity;

  constructor(root: string) {
    this.folder = join(root, FOLDER);
  }

  /** A new empty file. Its writer renames it to where it belongs, or drops it. */
  async begin(): Promise<UnfinishedFile> {
    const path = await this.newPath();
    return { path, handle: await open(path, 'wx') };
  }

  /** Closes and removes it, wherever its writer stands. */
  async drop({ path, handle }: UnfinishedFile): Promise<void> {
    await handle.close();
    await rm(path, { force: true });
  }

  /** Removes a folder with all in it: for others at once, however long it takes. One that is gone already is none. */
  async remove(path: string): Promise<void> {
    const out = await this.newPath();
    await unlessAbsent(rename(path, out));
    await rm(out, { recursive: true, force: true });
  }

  /** Removes what processes that died have left, at most once an hour; to be called whenever something is written. Never rejects. */
  async sweepNowAndThen(): Promise<void> {
    if (performance.now() - this.sweptAtMs < SWEEP_EVERY_MS) return;
    this.sweptAtMs = performance.now();
    // What cannot be removed now harms no write, and is tried again.
    await this.sweep().catch(() => undefined);
  }

  private async sweep(): Promise<void> {
    for (const entry of (await unlessAbsent(readdir(this.folder))) ?? []) {
      const path = join(this.folder, entry);
      const stats = await unlessAbsent(lstat(path));
      // Both times are of the clock that the file system goes by, or near it.
      if (stats !== undefined && Date.now() - stats.mtimeMs > ABANDONED_MS) await rm(path, { recursive: true, force: true });
    }
  }

  private async newPath(): Promise<string> {
    await mkdir(this.folder, { recursive: true });
    return join(this.folder, randomUUID());
  }
}
