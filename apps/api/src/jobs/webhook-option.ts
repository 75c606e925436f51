import { Inject, Injectable } from '@nestjs/common';
import type { EnqueueOptions } from '@antrean/jobs';
import { DEFAULT_SECRET, OutboundPolicy, type ApiConfig } from '@antrean/platform';
import { invalidFields } from '../http/body-faults.js';
import { toPointer } from '../http/json-pointer.js';
import type { RequestContext } from '../http/request-context.js';
import { API_CONFIG } from '../tokens.js';
import type { WebhookBody } from './submit-job.body.js';

/** Says of a webhook whether it could be called and signed at all, as far as that is known before it is tried. */
@Injectable()
export class WebhookOption {
  private readonly policy: OutboundPolicy;

  constructor(@Inject(API_CONFIG) private readonly config: ApiConfig) {
    this.policy = new OutboundPolicy(config.outboundAllow);
  }

  /**
   * The engine's option. Messages are signed with the secrets of the key that the request came with.
   * @throws {ProblemError} `invalid_request`; nothing repeats the URL, which may hold secrets.
   */
  of(webhook: WebhookBody | undefined, { keyName = DEFAULT_SECRET }: RequestContext): Pick<EnqueueOptions, 'webhook'> {
    if (webhook === undefined) return {};
    const { url, events } = webhook;
    const fault = this.policy.faultOf(url);
    if (fault !== undefined) throw refused(['url'], `url ${fault}`);
    if (!this.config.webhookSecrets.has(keyName)) {
      throw refused([], `webhook needs a secret to sign with, and WEBHOOK_SECRETS of this api has none for ${keyName}`);
    }
    return { webhook: { url, secretName: keyName, ...(events !== undefined && { events }) } };
  }
}

function refused(path: readonly string[], detail: string): Error {
  return invalidFields([{ pointer: toPointer(['options', 'webhook', ...path]), detail }]);
}
