import type { JobDefinition } from '../definition/job-definition.js';
import type { WebhookEvent } from '../definition/webhook.js';
import type { Job } from '../services/job.js';
import type { ProducerOptions } from '../services/producer-options.js';

/** What an application that runs jobs tells the jobs module. */
export interface WorkerOptions extends ProducerOptions {
  /** Types to run: names and globs, `!` excludes; `['*']` is all. A type named outright must have a handler. */
  readonly types: readonly string[];
  /** Jobs of all types together that this process runs at once. */
  readonly slots: number;
  /** Jobs a type at once, where it differs from the definition's `concurrency`. */
  readonly concurrency: Readonly<Record<string, number>>;
  /** A worker that is not heard of for this long loses its jobs to others. */
  readonly leaseMs: number;
  /** How long jobs in hand may go on after a shutdown was asked for. */
  readonly shutdownGraceMs: number;
  /** How long finished jobs are kept; failed ones have their own. 0 removes them at once. */
  readonly retentionMs: number;
  readonly deadRetentionMs: number;
  /**
   * For each type whose definition says `isolation: 'thread'`, the file (a `file:` URL) whose default export is the Nest module that
   * provides its handler.
   */
  readonly isolated?: Readonly<Record<string, URL>>;
  /** How the ends of jobs with a webhook are told. Without it this worker tells none, and a submit with one is refused. */
  readonly webhooks?: WebhookDelivery;
  /** The most that the JavaScript objects of one such thread may take, in MiB. Default: what Node gives a thread. */
  readonly isolatedHeapMb?: number;
}

/** One message that a webhook is to get. */
export interface WebhookMessage {
  /** The same however often the message is handed on, and of no other message; ASCII without dots. */
  readonly id: string;
  readonly event: WebhookEvent;
  readonly url: string;
  /** Names the secrets to sign with. */
  readonly secretName: string;
  /** As it ended. Its payload is left out and reads null, and of its runs the latest 10 are there. */
  readonly job: Job;
}

/** Which jobs call webhooks: each message becomes one. */
export interface WebhookDelivery<P extends object = object> {
  readonly definition: JobDefinition<P>;
  /** A message that still waits to be sent so long after it was handed on expires, at most a year. */
  readonly expiresInMs: number;
  payloadOf(message: WebhookMessage): P;
}

/** The token under which the options are injected. */
export const WORKER_OPTIONS = Symbol('WORKER_OPTIONS');
