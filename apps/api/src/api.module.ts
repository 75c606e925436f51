import { Global, Module, type DynamicModule } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { WebhookDeliver, catalog } from '@antrean/catalog';
import { JobsModule, OutboxModule, type JobDefinition } from '@antrean/jobs';
import { ApiKeyRing, StorageModule, type ApiConfig, type Logger } from '@antrean/platform';
import { ShopModule, ShopOutbox } from '@antrean/shop';
import { AccessGuard } from './auth/access.guard.js';
import { AuditLog } from './audit/audit-log.js';
import { DeadLettersController } from './dead-letters/dead-letters.controller.js';
import { DocumentAnswers } from './documents/document-answers.js';
import { RemovedDocuments } from './documents/removed-documents.js';
import { ExportsController, ReportsController } from './documents/documents.controller.js';
import { StoredFileAnswers } from './files/stored-file-answers.js';
import { HealthModule } from './health/health.module.js';
import { JsonBodyInterceptor } from './http/json-body/json-body.interceptor.js';
import { Links } from './http/links.js';
import { ProblemFilter } from './http/problem.filter.js';
import { ImportReader } from './imports/import-reader.js';
import { ImportRejectsController } from './imports/import-rejects.controller.js';
import { ImportsController } from './imports/imports.controller.js';
import { NamedImports } from './imports/named-imports.js';
import { UploadForms } from './imports/upload-forms.js';
import { UploadedImports } from './imports/uploaded-imports.js';
import { HttpRequestOption } from './jobs/http-request-option.js';
import { JobActsController } from './jobs/job-acts.controller.js';
import { JobSubmitter } from './jobs/job-submitter.js';
import { JobAnswers } from './jobs/job-answers.js';
import { JobListController } from './jobs/job-list.controller.js';
import { JobWaits } from './jobs/job-waits.js';
import { JobsController } from './jobs/jobs.controller.js';
import { SubmitsController } from './jobs/submits.controller.js';
import { WebhookOption } from './jobs/webhook-option.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { OrderIntake } from './orders/order-intake.js';
import { OrderJobs } from './orders/order-jobs.js';
import { OrderInvoices } from './orders/order-invoices.js';
import { OrderReader } from './orders/order-reader.js';
import { OrderInvoiceController } from './orders/order-invoice.controller.js';
import { OrdersController } from './orders/orders.controller.js';
import { API_CONFIG, API_LOG } from './tokens.js';
import { TypesController } from './types/types.controller.js';

/** The whole api, for the job types of this product or for others. */
@Global()
@Module({})
export class ApiModule {
  static register(config: ApiConfig, log: Logger, definitions: readonly JobDefinition[] = catalog): DynamicModule {
    const { redisUrl, keyPrefix, databaseUrl, durability, maxPayloadBytes, production } = config;
    const shared = [
      { provide: API_CONFIG, useValue: config },
      { provide: API_LOG, useValue: log },
      { provide: Links, useValue: new Links(config.publicUrl) },
    ];
    return {
      module: ApiModule,
      imports: [
        JobsModule.forProducer({
          definitions,
          redisUrl,
          keyPrefix,
          durability,
          maxPayloadBytes,
          webhooks: { definition: WebhookDeliver },
          logger: log,
        }),
        StorageModule.register(config.storageUrl),
        ShopModule.register({ databaseUrl, production, logger: log }),
        OutboxModule.forProducer({ store: ShopOutbox }),
        HealthModule,
        MetricsModule.register(),
      ],
      controllers: [
        SubmitsController,
        JobListController,
        JobsController,
        JobActsController,
        DeadLettersController,
        ReportsController,
        ExportsController,
        ImportsController,
        ImportRejectsController,
        OrdersController,
        OrderInvoiceController,
        TypesController,
      ],
      providers: [
        ...shared,
        { provide: ApiKeyRing, useFactory: () => new ApiKeyRing(config.apiKeys) },
        { provide: APP_GUARD, useClass: AccessGuard },
        { provide: APP_FILTER, useClass: ProblemFilter },
        JobSubmitter,
        WebhookOption,
        HttpRequestOption,
        JobWaits,
        JobAnswers,
        StoredFileAnswers,
        DocumentAnswers,
        RemovedDocuments,
        UploadForms,
        UploadedImports,
        NamedImports,
        ImportReader,
        OrderJobs,
        OrderIntake,
        OrderReader,
        OrderInvoices,
        AuditLog,
        JsonBodyInterceptor,
      ],
      exports: shared,
    };
  }
}
