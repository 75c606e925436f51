export { BelongingsModule, type BelongingsModuleOptions } from './belongings.module.js';
export { JobBelongings, type BelongingsOrigin } from './belongings/job-belongings.js';
export { JOB_FOLDERS, jobFolder, jobOfFile } from './belongings/job-folder.js';
export { JobCatalog } from './definition/job-catalog.js';
export { WEBHOOK_EVENTS, WEBHOOK_EVENTS_RULE, areWebhookEvents, type Webhook, type WebhookEvent } from './definition/webhook.js';
export type { EnqueueOptions } from './definition/enqueue-options.js';
export type { EnqueuedJob } from './definition/enqueued-job.js';
export type { Checkpoint, Handles, JobContext, JobLog } from './definition/job-context.js';
export {
  BOUNDS,
  DEDUPE_POLICIES,
  DUPLICATE_ANSWERS,
  defineJob,
  type DedupePolicy,
  type DuplicateAnswer,
  type JobDefinition,
  type JobPolicy,
  type PayloadOf,
} from './definition/job-definition.js';
export { JobHandler } from './definition/job-handler.decorator.js';
export { JOB_TYPE_SHAPE, LONGEST_TYPE, isJobType, isUlid, parseJobId } from './definition/job-id.js';
export { JOB_STATUSES, isFinal, type JobStatus } from './definition/job-status.js';
export { toMs, type Duration } from './definition/duration.js';
export * from './definition/errors.js';
export { isFitText } from './definition/fit-text.js';
export { BACKOFF_BOUNDS, MOST_METADATA, MOST_TAGS, TEXT_BOUNDS } from './definition/option-bounds.js';
export {
  BACKOFF_DEFAULTS,
  custom,
  exponential,
  fixed,
  quadratic,
  retryDelayMs,
  type RetryPolicy,
  type StoredRetryPolicy,
} from './definition/retry-policy.js';
export { DISCREET, Sensitive } from './definition/sensitive.decorator.js';
export { toStoredJson } from './definition/stored-json.js';
export { isUnchecked, unchecked } from './definition/unchecked-payload.js';
export { JobsModule } from './jobs.module.js';
export { Outbox, type OutboxOptions, type PromisedJob } from './outbox/outbox.js';
export { OutboxStore, type OutboxLag, type OutboxRow, type TakenRow } from './outbox/outbox-store.js';
export { OutboxModule, type OutboxModuleOptions } from './outbox.module.js';
export { WorkerBootError } from './runtime/handler-registry.js';
export { BackgroundWork } from './runtime/background-work.js';
export { type Ticking } from './runtime/loop.js';
export { WorkerHealth } from './runtime/worker-health.js';
export type { WebhookDelivery, WebhookMessage, WorkerOptions } from './runtime/worker-options.js';
export { newJobId } from './services/prepare-job.js';
export type { ProducerOptions } from './services/producer-options.js';
export { QueueHealth, type QueueHealthReport } from './services/queue-health.js';
export { isWebhookUrl } from './services/check-webhook.js';
export { ControlService, type CancelledJob, type ReplayedJob } from './services/control.service.js';
export {
  DeadLettersService,
  type DeadLetterFilter,
  type DeadLetterPlace,
  type DeadLetterStep,
} from './services/dead-letters.service.js';
export { DedupeService } from './services/dedupe.service.js';
export type { JobFilter } from './services/job-filter.js';
export { ListService, type JobPage } from './services/list.service.js';
export { isRedisTrouble } from './store/availability.js';
export { INDEXED_STATUSES, type IndexedStatus } from './store/job-index.js';
export { jobJson } from './services/job-json.js';
export type { Job, LogLine, Progress, Run, RunError, RunOutcome, WaitingOn } from './services/job.js';
export { QueueService, type BulkJob, type BulkResult } from './services/queue.service.js';
export type { PresentWorker } from './store/presence.js';
export { StatusService, type QueueDepth } from './services/status.service.js';
