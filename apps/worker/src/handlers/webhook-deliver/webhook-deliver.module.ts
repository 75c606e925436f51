import { Module, type DynamicModule } from '@nestjs/common';
import { WebhookDeliver } from '@antrean/catalog';
import { outboundProviders, type OutboundOptions } from '../../outbound/outbound-providers.js';
import { WebhookDeliverHandler } from './webhook-deliver.handler.js';

/** Runs jobs of the type `webhook.deliver`. */
@Module({})
export class WebhookDeliverModule {
  static register(options: OutboundOptions): DynamicModule {
    return {
      module: WebhookDeliverModule,
      providers: [WebhookDeliverHandler, ...outboundProviders(WebhookDeliver, options)],
    };
  }
}
