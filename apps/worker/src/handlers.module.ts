import { Module, type DynamicModule } from '@nestjs/common';
import type { WorkerConfig } from '@antrean/platform';
import { AnalyticsAppendModule } from './handlers/analytics-append/analytics-append.module.js';
import { DeadLettersModule } from './handlers/dead-letters/dead-letters.module.js';
import { EmailSendModule } from './handlers/email-send/email-send.module.js';
import { HttpRequestModule } from './handlers/http-request/http-request.module.js';
import { ImportCustomersModule } from './handlers/import-customers/import-customers.module.js';
import { WebhookDeliverModule } from './handlers/webhook-deliver/webhook-deliver.module.js';

/** The modules of the types that run in threads, each of which makes its own. */
export const isolatedHandlers: Readonly<Record<string, URL>> = {
  'export.generate': new URL('./handlers/export-generate/export-generate.module.js', import.meta.url),
  'invoice.render': new URL('./handlers/invoice-render/invoice-render.module.js', import.meta.url),
  'report.generate': new URL('./handlers/report-generate/report-generate.module.js', import.meta.url),
};

/** For the objects of each such thread, in MiB: a PDF of a million rows needs no more, and without it garbage is left to lie for long. */
export const ISOLATED_HEAP_MB = 80;

/** Every other handler of this product: one module a job type. */
@Module({})
export class HandlersModule {
  static register(config: WorkerConfig): DynamicModule {
    return {
      module: HandlersModule,
      imports: [
        AnalyticsAppendModule.register(config),
        DeadLettersModule,
        EmailSendModule.register({ ...config, onUnknown: config.emailOnUnknown }),
        HttpRequestModule.register(config),
        ImportCustomersModule,
        WebhookDeliverModule.register(config),
      ],
    };
  }
}
