import { Inject, Injectable } from '@nestjs/common';
import { HttpRequest } from '@antrean/catalog';
import { InvalidPayloadError, isWebhookUrl, type EnqueueOptions, type JobDefinition } from '@antrean/jobs';
import { DEFAULT_SECRET, OutboundPolicy, type ApiConfig } from '@antrean/platform';
import type { RequestContext } from '../http/request-context.js';
import { API_CONFIG } from '../tokens.js';

/** Says of a submit of `http.request` whose secrets sign what it sends, and whether it could be called at all, as far as that is known. */
@Injectable()
export class HttpRequestOption {
  private readonly policy: OutboundPolicy;

  constructor(@Inject(API_CONFIG) private readonly config: ApiConfig) {
    this.policy = new OutboundPolicy(config.outboundAllow);
  }

  /**
   * The engine's option: requests are signed with the secrets of the key that the submit came with, where it has some.
   * @throws {InvalidPayloadError} which does not repeat the URL.
   */
  of({ type }: JobDefinition, payload: object, { keyName = DEFAULT_SECRET }: RequestContext): Pick<EnqueueOptions, 'signAs'> {
    if (type !== HttpRequest.type) return {};
    const fault = 'url' in payload ? this.faultOf(payload.url) : undefined;
    if (fault !== undefined) throw new InvalidPayloadError(type, [{ pointer: '/payload/url', detail: `url ${fault}` }]);
    return this.config.webhookSecrets.has(keyName) ? { signAs: keyName } : {};
  }

  /** Of what is no URL at all the payload's own rules tell. */
  private faultOf(url: unknown): string | undefined {
    return typeof url === 'string' && isWebhookUrl(url) ? this.policy.faultOf(url) : undefined;
  }
}
