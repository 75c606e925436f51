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
  /** The most that the JavaScript objects of one such thread may take, in MiB. Default: what Node gives a thread. */
  readonly isolatedHeapMb?: number;
}

/** The token under which the options are injected. */
export const WORKER_OPTIONS = Symbol('WORKER_OPTIONS');
