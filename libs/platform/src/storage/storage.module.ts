import type { DynamicModule } from '@nestjs/common';
import { openStorage } from './open-storage.js';
import { StorageHealth } from './storage-health.js';
import { Storage } from './storage.js';

/** Provides `Storage` and `StorageHealth` to the whole application. It needs no decorator, and so this library no Nest. */
export class StorageModule {
  /** @param storageUrl as `STORAGE_URL`. */
  static register(storageUrl: string): DynamicModule {
    return {
      module: StorageModule,
      global: true,
      providers: [
        { provide: Storage, useFactory: () => openStorage(storageUrl) },
        { provide: StorageHealth, useFactory: (storage: Storage) => new StorageHealth(storage), inject: [Storage] },
      ],
      exports: [Storage, StorageHealth],
    };
  }
}
