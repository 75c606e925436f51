import { Module, type DynamicModule } from '@nestjs/common';
import { WebhookDeliver } from '@antrean/catalog';
import { OutboundPolicy, type Resolver, type WebhookSecrets, type WorkerConfig } from '@antrean/platform';
import { HostPlaces } from './host-places.js';
import { WebhookClient } from './webhook-client.js';
import { SECRETS, WebhookDeliverHandler } from './webhook-deliver.handler.js';

export interface WebhookDeliverOptions {
  readonly outboundAllow: readonly string[];
  readonly webhookSecrets: WebhookSecrets;
  /** Of the worker: one host gets a quarter of the places that deliveries have there. */
  readonly slots: WorkerConfig['slots'];
  readonly concurrency: WorkerConfig['concurrency'];
  /** Default: that of the system. */
  readonly resolver?: Resolver;
  /** See {@link WebhookClient}. */
  readonly trusted?: string;
}

/** Runs jobs of the type `webhook.deliver`. */
@Module({})
export class WebhookDeliverModule {
  static register({
    outboundAllow,
    webhookSecrets,
    slots,
    concurrency,
    resolver,
    trusted,
  }: WebhookDeliverOptions): DynamicModule {
    return {
      module: WebhookDeliverModule,
      providers: [
        WebhookDeliverHandler,
        { provide: HostPlaces, useValue: new HostPlaces(placesAHost(slots, concurrency)) },
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

function placesAHost(slots: number, concurrency: WorkerConfig['concurrency']): number {
  const places = Math.min(slots, concurrency[WebhookDeliver.type] ?? WebhookDeliver.concurrency);
  return Math.max(1, Math.floor(places / 4));
}
