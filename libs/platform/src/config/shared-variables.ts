import { apiKeys } from '../auth/api-keys-variable.js';
import { LOG_FORMATS, LOG_LEVELS } from '../logging/logger.js';
import { choice } from './choice-variable.js';
import { databaseUrl } from './database-url-variable.js';
import { seconds } from './number-variables.js';
import { outboundAllow } from './outbound-variables.js';
import { redisUrl } from './redis-url-variable.js';
import { storageUrl } from './storage-url-variable.js';
import { Wrong, type Variable } from './variable.js';
import { webhookSecrets } from './webhook-secrets-variable.js';

const DAY_SEC = 86_400;

const keyPrefix: Variable<string> = {
  name: 'KEY_PREFIX',
  expected: 'at most 64 letters, digits, ".", "_", ":" and "-" (no braces: they decide the slot in a Redis Cluster)',
  fallback: 'antrean',
  parse: (text) => (/^[A-Za-z0-9._:-]{1,64}$/.test(text) ? text : new Wrong()),
};

const production: Variable<boolean> = {
  name: 'NODE_ENV',
  expected: 'any text; "production" turns on the stricter rules',
  fallback: false,
  parse: (text) => text === 'production',
};

/** What both applications read. */
export function sharedVariables(terminal: boolean) {
  return {
    redisUrl,
    keyPrefix,
    databaseUrl,
    apiKeys,
    durability: choice('DURABILITY', ['local', 'replicated'], 'local'),
    retentionMs: seconds('RETENTION_SEC', { min: 0, max: 365 * DAY_SEC, fallback: DAY_SEC }),
    deadRetentionMs: seconds('DEAD_RETENTION_SEC', { min: 0, max: 365 * DAY_SEC, fallback: 30 * DAY_SEC }),
    storageUrl,
    outboundAllow,
    webhookSecrets,
    production,
    logLevel: choice('LOG_LEVEL', LOG_LEVELS, 'info'),
    logFormat: choice('LOG_FORMAT', LOG_FORMATS, terminal ? 'pretty' : 'json'),
  };
}
