import { signWebhook, type WebhookHeaders, type WebhookSecrets } from '@antrean/platform';

/** It may be there after the next start of a worker, so it is tried again. */
class WebhookSecretMissingError extends Error {
  override readonly name = 'WebhookSecretMissingError';
  readonly code = 'webhook_secret_missing';

  constructor(name: string) {
    super(`WEBHOOK_SECRETS of this worker has no secret for ${name}.`);
  }
}

/** Signs what is sent with the secrets of `WEBHOOK_SECRETS`. */
export class Signer {
  constructor(private readonly secrets: WebhookSecrets) {}

  /**
   * Signs by the secrets that stand under a name, each time anew: `id` is the same with every attempt, the time is not.
   * @throws {WebhookSecretMissingError}
   */
  by(name: string): (id: string, body: string) => WebhookHeaders {
    const secrets = this.secrets.get(name);
    if (secrets === undefined) throw new WebhookSecretMissingError(name);
    return (id, body) => signWebhook(id, new Date(), body, secrets);
  }
}
