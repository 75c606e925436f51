import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Test } from '@nestjs/testing';
import { Storage, StorageModule } from '@antrean/platform';
import { S3TestServer } from './s3-server.js';

/** A storage of a kind, empty, with a look behind it. */
export interface TestStorage {
  readonly storage: Storage;
  /** For `STORAGE_URL`. */
  readonly url: string;
  /** Puts one-byte files under these names without asking the storage. */
  seed(names: readonly string[]): Promise<void>;
  /** What writes that did not end well have left. */
  leftovers(): Promise<readonly string[]>;
  remove(): Promise<void>;
}

/** As an application gets it. */
export async function storageAt(url: string): Promise<Storage> {
  const module = await Test.createTestingModule({ imports: [StorageModule.register(url)] }).compile();
  return module.get(Storage);
}

/** @param below a folder in the temporary one. */
export async function folderStorage(below = 'storage'): Promise<TestStorage & { readonly root: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'antrean-storage-'));
  const root = join(folder, below);
  const url = `file:${root}`;
  return {
    root,
    url,
    storage: await storageAt(url),
    seed: async (names) => {
      for (const path of names.map((name) => join(root, name))) {
        await mkdir(dirname(path), { recursive: true });
        await writeFile(path, '.');
      }
    },
    leftovers: async () => readdir(join(root, '.unfinished')).catch(() => []),
    remove: async () => rm(folder, { recursive: true, force: true }),
  };
}

export async function s3Storage(): Promise<TestStorage & { readonly server: S3TestServer }> {
  const server = await S3TestServer.start();
  const url = server.url('some/prefix');
  return {
    server,
    url,
    storage: await storageAt(url),
    seed: async (names) => server.seed(names.map((name) => `some/prefix/${name}`)),
    leftovers: async () => server.unfinishedUploads(),
    remove: async () => server.stop(),
  };
}
