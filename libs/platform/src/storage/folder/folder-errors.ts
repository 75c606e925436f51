import { isNativeError } from 'node:util/types';
import { StorageAwayError, StorageFullError, StorageRefusedError, UnfitStorageError } from '../storage-errors.js';

const FULL: ReadonlySet<string> = new Set(['ENOSPC', 'EDQUOT']);
/** What only a change of rights mends. */
const UNFIT: Readonly<Record<string, string>> = {
  EACCES: 'this process may not use it; give its user the right to read and write there',
  EPERM: 'this process may not use it; give its user the right to read and write there',
  EROFS: 'its file system is read-only; mount it for writing, or set STORAGE_URL to another folder',
};
/** What only a change of what lies in the folder mends. */
const REFUSED: Readonly<Record<string, string>> = {
  ELOOP: 'a symbolic link is in the way; below the folder of STORAGE_URL none is followed',
  ENOTDIR: 'a file is where a folder should be; a name is either that of a file or of a folder',
  EISDIR: 'a folder is where the file should be; a name is either that of a file or of a folder',
  ENOTEMPTY: 'a folder is where the file should be; a name is either that of a file or of a folder',
  EFBIG: 'the file is larger than its file system takes',
  ENAMETOOLONG: 'the path is longer than its file system takes; set STORAGE_URL to a shorter one',
};

/** What the file system's error means to who uses the storage; `place` is the path it is about. */
export function folderError(error: unknown, place: string): Error {
  const code = codeOf(error) ?? 'error';
  if (FULL.has(code)) return new StorageFullError(`no room is left for ${place} (${code}). Free some, or delete files.`, error);
  const unfit = UNFIT[code];
  if (unfit !== undefined) return new UnfitStorageError(`${place}: ${unfit} (${code}).`, error);
  const advice = REFUSED[code];
  if (advice !== undefined) return new StorageRefusedError(`${place}: ${advice} (${code}).`, error);
  return new StorageAwayError(`${place} cannot be used now (${code}).`, error);
}

/** The system's name of what went wrong, such as `ENOENT`; undefined when the error is not the system's. */
export function codeOf(error: unknown): string | undefined {
  const isOfTheSystem = isNativeError(error) && 'errno' in error && 'code' in error && typeof error.code === 'string';
  return isOfTheSystem ? String(error.code) : undefined;
}

/** The answer of the file system; undefined when it says that something is not there. */
export async function unlessAbsent<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}
