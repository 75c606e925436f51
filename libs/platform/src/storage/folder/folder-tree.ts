import type { Stats } from 'node:fs';
import { lstat, mkdir, open, rmdir } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { StorageRefusedError } from '../storage-errors.js';
import type { StorageName } from '../storage-name.js';
import { codeOf, unlessAbsent } from './folder-errors.js';

/** Something that lies below the root. */
export interface Place {
  readonly path: string;
  readonly stats: Stats;
}

/**
 * Finds and makes the places of names below a root. A name cannot lead out: below the root no symbolic link is followed. (The root
 * itself may be one. Who can put links there while we look could write there anyway.)
 */
export class FolderTree {
  readonly root: string;

  constructor(root: string) {
    this.root = resolve(root);
  }

  /** Undefined when nothing is there. Throws the file system's errors, and a refusal of a symbolic link. */
  async find(name: StorageName): Promise<Place | undefined> {
    let path = this.root;
    let place: Place | undefined;
    for (const segment of name.split('/')) {
      if (place?.stats.isDirectory() === false) return undefined;
      path = join(path, segment);
      const stats = await unlessAbsent(lstat(path));
      if (stats === undefined) return undefined;
      refuseLink(path, stats);
      place = { path, stats };
    }
    return place;
  }

  /** The path of a name, in a folder that is there now; it may be removed again by who deletes the last other file in it. */
  async makeRoomFor(name: StorageName): Promise<string> {
    const segments = name.split('/');
    const last = segments.pop() ?? '';
    await mkdir(this.root, { recursive: true });
    let path = this.root;
    for (const segment of segments) {
      const parent = path;
      path = join(parent, segment);
      if (await makeFolder(path)) await syncFolder(parent);
      else refuseLink(path, await lstat(path));
    }
    return join(path, last);
  }

  /** Removes the folders above a path that are empty now. */
  async prune(path: string): Promise<void> {
    for (let folder = dirname(path); folder !== this.root; folder = dirname(folder)) {
      try {
        await rmdir(folder);
      } catch (error) {
        if (['ENOENT', 'ENOTEMPTY', 'EEXIST'].includes(codeOf(error) ?? '')) return;
        throw error;
      }
    }
  }
}

/** Makes what was renamed into a folder, or made there, outlive a power cut. */
export async function syncFolder(path: string): Promise<void> {
  // Windows does not open folders; there its file system sees to this.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** False when something has that name already. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

function refuseLink(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) {
    throw new StorageRefusedError(`${path} is a symbolic link; below the folder of STORAGE_URL none is followed. Remove it.`);
  }
}
