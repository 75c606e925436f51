import type { Provider } from '@nestjs/common';
import type { JobDefinition } from '@antrean/jobs';
import { OutboundPolicy, type Resolver, type WebhookSecrets, type WorkerConfig } from '@antrean/platform';
import { HostPlaces } from './host-places.js';
import { OutboundClient } from './outbound-client.js';
import { Signer } from './signer.js';

export interface OutboundOptions {
  readonly outboundAllow: readonly string[];
  readonly webhookSecrets: WebhookSecrets;
  /** Of the worker: one host gets a quarter of the places that the type has there. */
  readonly slots: WorkerConfig['slots'];
  readonly concurrency: WorkerConfig['concurrency'];
  /** Default: that of the system. */
  readonly resolver?: Resolver;
  /** See {@link OutboundClient}. */
  readonly trusted?: string;
}

/** What the handler of a type needs that calls URLs which others chose. The places are the type's own. */
export function outboundProviders(
  definition: JobDefinition,
  { outboundAllow, webhookSecrets, slots, concurrency, resolver, trusted }: OutboundOptions,
): Provider[] {
  const policy = new OutboundPolicy(outboundAllow, resolver);
  const places = Math.min(slots, concurrency[definition.type] ?? definition.concurrency);
  return [
    { provide: OutboundPolicy, useValue: policy },
    { provide: OutboundClient, useValue: new OutboundClient(policy, trusted) },
    { provide: Signer, useValue: new Signer(webhookSecrets) },
    { provide: HostPlaces, useValue: new HostPlaces(Math.max(1, Math.floor(places / 4))) },
  ];
}
