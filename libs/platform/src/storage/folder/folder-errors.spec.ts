import { StorageAwayError, StorageFullError, StorageRefusedError, UnfitStorageError } from '../storage-errors.js';
import { folderError } from './folder-errors.js';

const systemError = (code: string): Error => Object.assign(new Error(code), { code, errno: -1, syscall: 'write' });

describe('folderError', () => {
  it.each([
    ['ENOSPC', StorageFullError, 'The storage is full: no room is left for /data/a (ENOSPC). Free some, or delete files.'],
    ['EDQUOT', StorageFullError, 'no room is left'],
    ['EACCES', UnfitStorageError, 'give its user the right to read and write there (EACCES)'],
    ['EROFS', UnfitStorageError, 'mount it for writing, or set STORAGE_URL to another folder (EROFS)'],
    ['ELOOP', StorageRefusedError, 'The storage refuses: /data/a: a symbolic link is in the way'],
    ['EIO', StorageAwayError, 'The storage is away: /data/a cannot be used now (EIO).'],
    ['EMFILE', StorageAwayError, '(EMFILE)'],
    ['ESTALE', StorageAwayError, '(ESTALE)'],
  ])('makes of %s an error that says what to do', (code, kind, text) => {
    const cause = systemError(code);
    const error = folderError(cause, '/data/a');
    expect(error).toBeInstanceOf(kind);
    expect(error.message).toContain(text);
    expect(error.cause).toBe(cause);
  });
});
