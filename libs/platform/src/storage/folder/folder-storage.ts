import { constants } from 'node:fs';
import { lstat, open, opendir, rename, stat, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { demandRange, rangeWithin, type ByteRange } from '../byte-range.js';
import { blocksOf } from '../source-blocks.js';
import { RangeNotSatisfiableError, StorageError, StoredFileNotFoundError, UnfitStorageError } from '../storage-errors.js';
import { asStorageName, isStorageSegment, type StorageName } from '../storage-name.js';
import { Storage, type OpenFile, type StoredFile, type WrittenFile } from '../storage.js';
import { codeOf, folderError, unlessAbsent } from './folder-errors.js';
import { bodyOf, storedFile } from './folder-file.js';
import { FolderTree, syncFolder, type Place } from './folder-tree.js';
import { UnfinishedFiles, type UnfinishedFile } from './unfinished-files.js';

/** Written at once. */
const BLOCK_BYTES = 262_144;
/** Each time somebody must have deleted the last other file of a folder at just that moment. */
const MOST_RENAMES = 20;
/** No link is followed, and nobody waits for the other end of a pipe. Windows knows neither: undefined counts as 0. */
const HOW_TO_READ = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Files in a folder, which all processes that use them can reach: on one machine, or a shared file system. */
export class FolderStorage extends Storage {
  private readonly tree: FolderTree;
  private readonly unfinished: UnfinishedFiles;

  /** @param root made when something is written. A relative one begins at the working directory. */
  constructor(root: string) {
    super();
    this.tree = new FolderTree(root);
    this.unfinished = new UnfinishedFiles(this.tree.root);
  }

  override async write(
    name: StorageName,
    source: AsyncIterable<Uint8Array>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<WrittenFile> {
    signal?.throwIfAborted();
    await this.unfinished.sweepNowAndThen();
    const file = await this.onDisk(name, () => this.unfinished.begin());
    try {
      for await (const block of blocksOf(source, BLOCK_BYTES, signal)) {
        await this.onDisk(name, () => file.handle.writeFile(block));
      }
      return await this.onDisk(name, () => this.finish(name, file, signal));
    } catch (error) {
      await this.unfinished.drop(file).catch(() => undefined); // It is swept later; why it was dropped matters more.
      throw error;
    }
  }

  override async read(
    name: StorageName,
    { range, signal }: { readonly range?: ByteRange; readonly signal?: AbortSignal } = {},
  ): Promise<OpenFile> {
    signal?.throwIfAborted();
    if (range !== undefined) demandRange(range);
    return this.onDisk(name, async () => {
      const place = fileAt(await this.tree.find(name));
      const handle = place && (await unlessAbsent(open(place.path, HOW_TO_READ)));
      if (handle === undefined) throw new StoredFileNotFoundError(name);
      try {
        const file = storedFile(name, await handle.stat({ bigint: true }));
        const given = rangeWithin(range ?? { start: 0 }, file.size);
        if (range !== undefined && given === undefined) throw new RangeNotSatisfiableError(name, file.size);
        return { ...file, body: bodyOf(handle, given, signal, name) };
      } catch (error) {
        await handle.close();
        throw error;
      }
    });
  }

  override async stat(name: StorageName): Promise<StoredFile | undefined> {
    return this.onDisk(name, async () => {
      const place = fileAt(await this.tree.find(name));
      const stats = place && (await unlessAbsent(lstat(place.path, { bigint: true })));
      return stats && storedFile(name, stats);
    });
  }

  override async delete(name: StorageName): Promise<void> {
    await this.onDisk(name, async () => {
      const place = fileAt(await this.tree.find(name));
      if (place === undefined) return;
      await unlessAbsent(unlink(place.path));
      await this.tree.prune(place.path);
    });
  }

  override async deleteFolder(folder: StorageName): Promise<boolean> {
    return this.onDisk(folder, async () => {
      const place = await this.tree.find(folder);
      if (place?.stats.isDirectory() !== true) return false;
      await this.unfinished.remove(place.path);
      await this.tree.prune(place.path);
      return true;
    });
  }

  override async *list(folder?: StorageName): AsyncIterable<StorageName> {
    try {
      if (folder === undefined) yield* this.below(this.tree.root, '');
      const place = folder && (await this.tree.find(folder));
      if (place?.stats.isDirectory() === true) yield* this.below(place.path, `${folder}/`);
    } catch (error) {
      throw this.asStorageError(error, folder ?? '');
    }
  }

  override signedUrl(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  override async check(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    await this.onDisk('', async () => {
      const file = await this.unfinished.begin();
      try {
        await file.handle.writeFile('.');
      } finally {
        await this.unfinished.drop(file);
      }
    });
  }

  /** From here on nothing is aborted: who reads sees the old file or the new one, and both are safe. */
  private async finish(name: StorageName, { handle, path }: UnfinishedFile, signal?: AbortSignal): Promise<WrittenFile> {
    await handle.sync();
    const { size } = await handle.stat();
    signal?.throwIfAborted();
    const target = await this.moveTo(name, path);
    await handle.close();
    await syncFolder(dirname(target));
    return { size };
  }

  private async moveTo(name: StorageName, path: string): Promise<string> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const target = await this.tree.makeRoomFor(name);
        await rename(path, target);
        return target;
      } catch (error) {
        if (codeOf(error) !== 'ENOENT' || attempt === MOST_RENAMES) throw error;
      }
    }
  }

  private async *below(path: string, prefix: string): AsyncGenerator<StorageName> {
    for await (const entry of (await unlessAbsent(opendir(path))) ?? []) {
      const name = asStorageName(`${prefix}${entry.name}`);
      // What others put there has any name.
      if (name === undefined || !isStorageSegment(entry.name)) continue;
      if (entry.isDirectory()) yield* this.below(join(path, entry.name), `${name}/`);
      if (entry.isFile()) yield name;
    }
  }

  private async onDisk<T>(name: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (codeOf(error) === 'ENOTDIR') await this.demandRoot(error);
      throw this.asStorageError(error, name);
    }
  }

  /** @throws {UnfitStorageError} where a file is in the way of the whole storage, and not of one name. */
  private async demandRoot(cause: unknown): Promise<void> {
    const { root } = this.tree;
    const isFree = await stat(root).then(
      (found) => found.isDirectory(),
      (error: unknown) => codeOf(error) !== 'ENOTDIR',
    );
    if (!isFree)
      throw new UnfitStorageError(`a file is in the way of the folder ${root}. Remove it, or set STORAGE_URL to another.`, cause);
  }

  /** What is no error of the file system is thrown on as it is: a refusal of ours, the reason of a signal. */
  private asStorageError(error: unknown, name: string): unknown {
    return error instanceof StorageError || codeOf(error) === undefined ? error : folderError(error, join(this.tree.root, name));
  }
}

function fileAt(place: Place | undefined): Place | undefined {
  return place?.stats.isFile() === true ? place : undefined;
}
