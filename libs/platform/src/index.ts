export type { ApiKey, Scope } from './auth/api-key.js';
export { ApiKeyRing, type Principal } from './auth/api-key-ring.js';
export { loadApiConfig, type ApiConfig } from './config/api-config.js';
export { ConfigError } from './config/config-error.js';
export { loadMigrationConfig, type MigrationConfig } from './config/migration-config.js';
export type { TrustProxy } from './config/trust-proxy-variable.js';
export { loadWorkerConfig, type WorkerConfig } from './config/worker-config.js';
export { parseDatabaseUrl, type DatabaseTarget } from './database/database-url.js';
export { cellText, type Cell } from './documents/cell.js';
export { csvDocument, type CsvTable } from './documents/csv-document.js';
export { withoutFormulaGuard } from './documents/formula-guard.js';
export { utf8Chunks } from './documents/utf8-chunks.js';
export { endsWithin } from './ends-within.js';
export { configOrExit } from './lifecycle/config-or-exit.js';
export { endGracefully, type Closable } from './lifecycle/end-gracefully.js';
export { ListenError, listen, type ListenAddress } from './lifecycle/listen.js';
export { errorFields, type ErrorFields } from './logging/error-fields.js';
export { createLogger, type LogFormat, type LogLevel, type LogSettings, type Logger } from './logging/logger.js';
export { NestLog } from './logging/nest-log.js';
export { parseSender, type Sender } from './mail/sender.js';
export { OutboundPolicy, OutboundRefusedError } from './outbound/outbound-policy.js';
export { type Resolver } from './outbound/resolvers.js';
export { urlFault } from './outbound/url-fault.js';
export { randomFraction, randomHex } from './randomness.js';
export { leave, listenTo } from './redis/channels.js';
export { closeRedis, connectRedis, waitUntilReady, type ConnectOptions, type RedisConnection } from './redis/connect-redis.js';
export { masterOfKey, mastersOf, type RedisMaster } from './redis/masters.js';
export { ServerHeldBackError, confineTo } from './redis/prompt-cluster.js';
export { onServerChange, type Concerns } from './redis/server-changes.js';
export { parseRedisUrl, type RedisTarget } from './redis/redis-url.js';
export { attachment } from './storage/attachment.js';
export { rangeWithin, type ByteRange } from './storage/byte-range.js';
export {
  LastingStorageError,
  PassingStorageError,
  RangeNotSatisfiableError,
  StorageAwayError,
  StorageError,
  StorageFullError,
  StorageNameError,
  StorageRefusedError,
  UnfitStorageError,
  StoredFileNotFoundError,
} from './storage/storage-errors.js';
export { StorageHealth, type StorageHealthReport } from './storage/storage-health.js';
export { parseStorageName, type StorageName } from './storage/storage-name.js';
export { StorageModule } from './storage/storage.module.js';
export { Storage, type OpenFile, type SignedUrlOptions, type StoredFile, type WrittenFile } from './storage/storage.js';
export {
  formatTraceparent,
  newTraceContext,
  parseTraceparent,
  parseTracestate,
  type TraceContext,
} from './tracing/trace-context.js';
export { signWebhook, type WebhookHeaders } from './webhooks/sign-webhook.js';
export { DEFAULT_SECRET, type WebhookSecrets } from './webhooks/webhook-secrets.js';
export { Waiters } from './waiters.js';
