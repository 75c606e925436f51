import { Module, type DynamicModule } from '@nestjs/common';
import { OutboundPolicy, type Resolver, type WebhookSecrets } from '@antrean/platform';
import { WebhookClient } from './webhook-client.js';
import { SECRETS, WebhookDeliverHandler } from './webhook-deliver.handler.js';

export interface WebhookDeliverOptions {
  readonly outboundAllow: readonly string[];
  readonly webhookSecrets: WebhookSecrets;
  /** Default: that of the system. */
  readonly resolver?: Resolver;
  /** See {@link WebhookClient}. */
  readonly trusted?: string;
}

/** Runs jobs of the type `webhook.deliver`. */
@Module({})
export class WebhookDeliverModule {
  static register({ outboundAllow, webhookSecrets, resolver, trusted }: WebhookDeliverOptions): DynamicModule {
    return {
      module: WebhookDeliverModule,
      providers: [
        WebhookDeliverHandler,
        { provide: SECRETS, useValue: webhookSecrets },
        { provide: OutboundPolicy, useValue: new OutboundPolicy(outboundAllow, resolver) },
        {
          provide: WebhookClient,
          useFactory: (policy: OutboundPolicy) => new WebhookClient(policy, trusted),
          inject: [OutboundPolicy],
        },
      ],
    };
  }
}
