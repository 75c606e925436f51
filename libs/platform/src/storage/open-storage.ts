import { FolderStorage } from './folder/folder-storage.js';
import { parseStorageUrl } from './storage-url.js';
import type { Storage } from './storage.js';

/** The storage that a `STORAGE_URL` names. Nothing is read, written or connected yet. */
export async function openStorage(url: string): Promise<Storage> {
  const target = parseStorageUrl(url);
  if (target.kind === 'folder') return new FolderStorage(target.path);
  // The client is large, and most processes need none: only this loads it.
  const { S3Storage } = await import('./s3/s3-storage.js');
  return new S3Storage(target);
}
