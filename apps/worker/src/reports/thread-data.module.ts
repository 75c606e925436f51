import { Module, type DynamicModule, type OnApplicationShutdown } from '@nestjs/common';
import { StorageModule, loadWorkerConfig } from '@antrean/platform';
import { Customers, Database, Orders } from '@antrean/shop';
import { DocumentFiles } from './document-files.js';

/**
 * What handlers in a thread read and write with, by the process's environment: a database connection and a storage of the thread's own.
 * The database's tables are looked after, and its outages logged, by the process.
 */
@Module({})
export class ThreadDataModule implements OnApplicationShutdown {
  constructor(private readonly database: Database) {}

  static fromEnvironment(): DynamicModule {
    const { databaseUrl, storageUrl } = loadWorkerConfig(process.env);
    return {
      module: ThreadDataModule,
      imports: [StorageModule.register(storageUrl)],
      providers: [{ provide: Database, useFactory: () => new Database(databaseUrl) }, Customers, Orders, DocumentFiles],
      exports: [Customers, Orders, DocumentFiles],
    };
  }

  onApplicationShutdown(): Promise<void> {
    return this.database.close();
  }
}
