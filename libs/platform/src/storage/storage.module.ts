import { Module, type DynamicModule } from '@nestjs/common';
import { openStorage } from './open-storage.js';
import { StorageHealth } from './storage-health.js';
import { Storage } from './storage.js';

/** Provides `Storage` and `StorageHealth` to the whole application. */
@Module({})
export class StorageModule {
  /** @param storageUrl as `STORAGE_URL`. */
  static register(storageUrl: string): DynamicModule {
    return {
      module: StorageModule,
      global: true,
      providers: [{ provide: Storage, useFactory: () => openStorage(storageUrl) }, StorageHealth],
      exports: [Storage, StorageHealth],
    };
  }
}
