import type { ApiKey } from '../auth/api-key.js';
import type { LogFormat, LogLevel } from '../logging/logger.js';
import type { WebhookSecrets } from '../webhooks/webhook-secrets.js';
import { host, isLoopback, port } from './address-variables.js';
import { emailOnUnknown, mailFrom, smtpUrl } from './mail-variables.js';
import { seconds, wholeNumber } from './number-variables.js';
import { analyticsFile } from './order-variables.js';
import { sharedVariables } from './shared-variables.js';
import { EnvReading } from './variable.js';
import { workerConcurrency, workerTypes } from './work-variables.js';

/** Everything the worker takes from its environment. */
export interface WorkerConfig {
  readonly redisUrl: string;
  readonly keyPrefix: string;
  readonly databaseUrl: string;
  readonly durability: 'local' | 'replicated';
  /** Of the listener for health and metrics. */
  readonly host: string;
  /** 0 lets the system choose. */
  readonly port: number;
  /** Job types to run: names and globs, `!` excludes. */
  readonly types: readonly string[];
  /** Jobs of all types together that run at once. */
  readonly slots: number;
  /** Jobs at once by type, where that differs from the type's definition. */
  readonly concurrency: Readonly<Record<string, number>>;
  readonly leaseMs: number;
  readonly shutdownGraceMs: number;
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
  /** Undefined: mails are written as files into `mailDir`. */
  readonly smtpUrl: string | undefined;
  readonly mailFrom: string;
  readonly emailOnUnknown: 'resend' | 'fail';
  /** Relative to the working directory. */
  readonly mailDir: string;
  /** Where events are appended to, relative to the working directory. */
  readonly analyticsFile: string;
  /** Asked for at `/metrics`; empty: nobody needs a key, and the worker listens on loopback only. */
  readonly apiKeys: readonly ApiKey[];
  /** Where files are kept; see `parseStorageUrl`. */
  readonly storageUrl: string;
  /** Hosts that may be called over http, and at any address. */
  readonly outboundAllow: readonly string[];
  readonly webhookSecrets: WebhookSecrets;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly production: boolean;
}

const MAIL_DIR = '.data/mail';

/**
 * Reads the worker's environment.
 * @param terminal whether people watch the output; decides the log format when `LOG_FORMAT` is unset.
 * @throws {ConfigError} naming every wrong variable.
 */
export function loadWorkerConfig(env: NodeJS.ProcessEnv, terminal = process.stdout.isTTY): WorkerConfig {
  const reading = new EnvReading(env, {
    ...sharedVariables(terminal),
    host: host('WORKER_HOST'),
    port: port('WORKER_PORT', 3_001),
    types: workerTypes,
    slots: wholeNumber('WORKER_SLOTS', { min: 1, max: 10_000, fallback: 100 }),
    concurrency: workerConcurrency,
    leaseMs: seconds('LEASE_SEC', { min: 1, max: 3_600, fallback: 30 }),
    shutdownGraceMs: seconds('SHUTDOWN_GRACE_SEC', { min: 0, max: 3_600, fallback: 25 }),
    smtpUrl,
    mailFrom,
    emailOnUnknown,
    analyticsFile,
  });
  const { apiKeys, host: hostName } = reading.values;
  reading.demand(
    ['WORKER_HOST', 'API_KEYS'],
    apiKeys.length > 0 || isLoopback(hostName),
    `without API_KEYS the worker's metrics are on loopback only, found "${hostName}". Set API_KEYS, or WORKER_HOST to 127.0.0.1.`,
  );
  return { ...reading.settle(), mailDir: MAIL_DIR };
}
