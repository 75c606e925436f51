import type { Stored, Variant, WorkerSettings } from './sides/side.js';

/** What one child process is asked to do; one thing at a time. */
export type Command =
  | { readonly do: 'submit'; readonly variant: Variant; readonly jobs: number; readonly inFlight: number; readonly batch: number }
  | { readonly do: 'submit_one'; readonly variant: Variant; readonly number: number }
  | { readonly do: 'stored'; readonly variant: Variant }
  | { readonly do: 'forget_events'; readonly variant: Variant }
  | { readonly do: 'open_worker'; readonly settings: WorkerSettings; readonly report: WorkerReport['report'] }
  | { readonly do: 'start_worker' }
  | { readonly do: 'close_worker' };

/** What it answers, by command. */
export interface Replies {
  submit: { readonly seconds: number; readonly cpuUs: number };
  /** Just before the submit, see {@link nowMs}. */
  submit_one: { readonly atMs: number };
  stored: Stored;
  forget_events: null;
  open_worker: null;
  start_worker: null;
  close_worker: null;
}

/** What a worker tells on its own: how far it has come, whenever it has nothing to do, or each start of a handler. */
export type WorkerReport =
  | {
      readonly report: 'progress';
      readonly settled: number;
      readonly firstStartMs: number;
      readonly lastEndMs: number;
      /** Of the whole process, all threads, since the worker was started. */
      readonly cpuUs: number;
    }
  | { readonly report: 'runs'; readonly number: number; readonly atMs: number };

export type FromChild =
  | { readonly kind: 'ready' }
  | { readonly kind: 'reply'; readonly value: Replies[keyof Replies] }
  | { readonly kind: 'failed'; readonly message: string }
  | { readonly kind: 'report'; readonly report: WorkerReport };

/** Milliseconds of the system's monotonic clock, the same in all processes. */
export function nowMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
