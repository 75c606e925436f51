/** By the name of an API key (`default` where there are no keys): the secrets that its webhooks are signed with, the newest first. */
export type WebhookSecrets = ReadonlyMap<string, readonly Buffer[]>;

/** Whose secrets sign where nobody needs an API key. */
export const DEFAULT_SECRET = 'default';
