import { Module } from '@nestjs/common';
import { ImportCustomersHandler } from './import-customers.handler.js';

/** Runs jobs of the type `import.customers`. Wants `Storage` and the shop's data. */
@Module({ providers: [ImportCustomersHandler] })
export class ImportCustomersModule {}
