import type { ApiKey } from '../auth/api-key.js';
import type { LogFormat, LogLevel } from '../logging/logger.js';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.js';
import { OutboundPolicy } from '../outbound/outbound-policy.js';
import { LARGEST_OBJECT_BYTES } from '../storage/object-parts.js';
import { parseStorageUrl } from '../storage/storage-url.js';
import { host, isLoopback, listenerUrl, port, publicUrl } from './address-variables.js';
import { seconds, wholeNumber } from './number-variables.js';
import { analyticsUrl, orderCurrency } from './order-variables.js';
import { sharedVariables } from './shared-variables.js';
import { trustProxy, type TrustProxy } from './trust-proxy-variable.js';
import { EnvReading } from './variable.js';

/** Everything the api takes from its environment. */
export interface ApiConfig {
  readonly redisUrl: string;
  readonly keyPrefix: string;
  readonly databaseUrl: string;
  readonly durability: 'local' | 'replicated';
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** A port of its own for metrics and health details, open to all who reach it. */
  readonly adminPort: number | undefined;
  /** Where clients reach the api, without a slash at its end. */
  readonly publicUrl: string;
  readonly trustProxy: TrustProxy;
  /** Empty: nobody needs a key, and the api listens on loopback only. */
  readonly apiKeys: readonly ApiKey[];
  readonly maxPayloadBytes: number;
  /** Of a file that is uploaded. */
  readonly maxUploadBytes: number;
  /** How long the process answers on after a signal, while it says that it is not ready. */
  readonly shutdownDelayMs: number;
  /** Where files are kept; see `parseStorageUrl`. */
  readonly storageUrl: string;
  /** Hosts that may be called over http, and at any address. */
  readonly outboundAllow: readonly string[];
  readonly webhookSecrets: WebhookSecrets;
  /** Who is told of new orders; undefined: a file of the worker is. */
  readonly analyticsUrl: string | undefined;
  /** Of orders that name none. */
  readonly orderCurrency: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly production: boolean;
}

/** As many rounds of usual health checks as it takes to be taken out of service; where nobody asks, nobody is to wait. */
const SHUTDOWN_DELAY_MS = { production: 5_000, elsewhere: 0 };

/**
 * Reads the api's environment.
 * @param terminal whether people watch the output; decides the log format when `LOG_FORMAT` is unset.
 * @throws {ConfigError} naming every wrong variable.
 */
export function loadApiConfig(env: NodeJS.ProcessEnv, terminal = process.stdout.isTTY): ApiConfig {
  const reading = new EnvReading(env, {
    ...sharedVariables(terminal),
    host: host('HOST'),
    port: port('PORT', 3_000),
    adminPort: port('ADMIN_PORT', undefined),
    publicUrl,
    trustProxy,
    maxPayloadBytes: wholeNumber('MAX_PAYLOAD_BYTES', { min: 1_024, max: 1_000_000, fallback: 262_144, unit: 'bytes' }),
    maxUploadBytes: wholeNumber('MAX_UPLOAD_BYTES', { min: 1_024, max: 2 ** 40, fallback: 2 ** 30, unit: 'bytes' }),
    shutdownDelayMs: seconds('SHUTDOWN_DELAY_SEC', { min: 0, max: 3_600, fallback: undefined }),
    analyticsUrl,
    orderCurrency,
  });
  const { apiKeys, production, ...values } = reading.values;
  const keyed = apiKeys.length > 0;
  reading.demand(['API_KEYS'], keyed || !production, 'expected at least one key when NODE_ENV is production, found none.');
  reading.demand(
    ['HOST', 'API_KEYS'],
    keyed || isLoopback(values.host),
    `without API_KEYS the api listens on loopback only, found "${values.host}". Set API_KEYS, or HOST to 127.0.0.1.`,
  );
  reading.demand(
    ['ADMIN_PORT', 'PORT'],
    values.adminPort !== values.port || values.port === 0,
    `expected another port than PORT, found ${values.port} for both.`,
  );
  const refused = values.analyticsUrl && new OutboundPolicy(values.outboundAllow).faultOf(values.analyticsUrl);
  reading.demand(['ANALYTICS_URL', 'OUTBOUND_ALLOW'], !refused, `expected a URL that may be called; it ${refused ?? ''}.`);
  reading.demand(
    ['MAX_UPLOAD_BYTES', 'STORAGE_URL'],
    values.maxUploadBytes <= largestFile(values.storageUrl),
    `expected at most ${LARGEST_OBJECT_BYTES} with storage in S3, which takes no larger file, found ${values.maxUploadBytes}.`,
  );
  reading.settle();
  return {
    ...values,
    apiKeys,
    production,
    publicUrl: values.publicUrl ?? listenerUrl(values.host, values.port),
    shutdownDelayMs: values.shutdownDelayMs ?? SHUTDOWN_DELAY_MS[production ? 'production' : 'elsewhere'],
  };
}

function largestFile(storageUrl: string): number {
  return parseStorageUrl(storageUrl).kind === 's3' ? LARGEST_OBJECT_BYTES : Infinity;
}
