import type { DedupePolicy, End } from '../rules/job.js';
import type { Keep, Ending } from '../rules/settle.js';

export interface JobShape {
  readonly priority: number;
  readonly maxAttempts: number;
  readonly timeoutMs: number;
  readonly version: number;
  readonly when: { readonly delayMs: number } | { readonly atMs: number } | undefined;
  readonly deadlineMs: number;
  readonly dedupe: { readonly key: string; readonly policy: DedupePolicy } | undefined;
  readonly once: { readonly key: string; readonly body: string } | undefined;
  readonly webhook: readonly End[];
}

/** A run to settle, or to write about: one of those that the worker holds, that run anywhere, or that ever ran. */
export interface RunPick {
  readonly among: 'held' | 'running' | 'ever';
  readonly job: number;
  /** Of the tokens that the job was ever given: the latest, or an older one. */
  readonly token: 'latest' | 'older';
}

export type SettlePlan = RunPick & { readonly ending: Ending; readonly twice: boolean };
export type NotePlan = RunPick & { readonly kind: 'progress' | 'checkpoint' | 'log' | `step:${string}`; readonly json: string };

export interface OnSide {
  readonly side: 0 | 1;
}
export interface OnLane extends OnSide {
  readonly worker: number;
  readonly lane: 0 | 1;
}

/** Some jobs of the kind that the name says; any where there are none of it. */
export interface JobPicks extends OnSide {
  readonly among: 'waiting' | 'retrying' | 'running' | 'finished' | 'succeeded' | 'failed' | 'any';
  readonly jobs: readonly number[];
}

export interface ExchangePlan extends OnLane {
  readonly kind: 'exchange';
  readonly want: number | 'pass_on';
  readonly suspects: boolean;
  readonly keep: Keep;
  readonly settles: readonly SettlePlan[];
  /** Numbers to leave out. */
  readonly gap: number;
  readonly answerLost: boolean;
}

/** One thing that may happen. Numbers that pick something are drawn blindly and fitted to what is there. */
export type Command =
  | { readonly kind: 'nothing' }
  | ({ readonly kind: 'submit'; readonly jobs: readonly JobShape[] } & OnSide)
  | ({ readonly kind: 'submit_again'; readonly which: number } & OnSide)
  | ExchangePlan
  | ({ readonly kind: 'exchange_again' } & OnLane)
  | ({ readonly kind: 'exchange_late'; readonly which: number } & OnLane)
  | ({ readonly kind: 'reconcile'; readonly page: number } & OnLane)
  | ({ readonly kind: 'heartbeat'; readonly worker: number; readonly afterSteps: number } & OnSide)
  | ({ readonly kind: 'overdue'; readonly worker: number; readonly afterSteps: number } & OnSide)
  | ({
      readonly kind: 'blocked';
      readonly worker: number;
      readonly afterSteps: number;
      readonly keep: Keep;
      readonly blameShared: boolean;
    } & OnSide)
  | ({
      readonly kind: 'reap';
      readonly afterSteps: number;
      readonly limit: number;
      readonly keep: Keep;
      readonly settle: boolean;
      /** The worker is not dead: its heartbeat comes after all. */
      readonly beats: boolean;
    } & OnSide)
  | ({ readonly kind: 'promote'; readonly afterSteps: number; readonly limit: number; readonly keep: boolean } & OnSide)
  | ({ readonly kind: 'sweep'; readonly afterSteps: number; readonly limit: number; readonly maxFailed: number } & OnSide)
  /** A process looks whether somebody came after it woke a worker. */
  | ({ readonly kind: 'rouse' } & OnSide)
  | ({ readonly kind: 'cancel' } & JobPicks)
  | ({ readonly kind: 'replay'; readonly edit: boolean } & JobPicks)
  | ({ readonly kind: 'remove' } & JobPicks)
  | ({ readonly kind: 'write'; readonly worker: number; readonly notes: readonly NotePlan[] } & OnSide)
  /**
   * A relay reads events and hands them on; then it drops them, as another does that read the same, or dies before, or another drops
   * what it read long ago.
   */
  | ({ readonly kind: 'relay'; readonly limit: number; readonly drops: 'these' | 'these_twice' | 'none' | 'earlier' } & OnSide)
  | ({ readonly kind: 'look'; readonly job: number } & OnSide)
  | { readonly kind: 'move_clock'; readonly bySteps: number }
  /** The process dies, and another takes its place. */
  | { readonly kind: 'crash'; readonly worker: number; readonly version: number }
  /** The process hands back what it has, ends, and another takes its place. */
  | { readonly kind: 'leave'; readonly worker: number; readonly version: number }
  | { readonly kind: 'save' }
  | { readonly kind: 'roll_back'; readonly reconcile: boolean }
  /** Jobs that crash, or block, one worker after the other, perhaps with a checkpoint in between. */
  | ({
      readonly kind: 'crash_storm';
      readonly rounds: number;
      readonly checkpoints: boolean;
      readonly blocks: boolean;
      readonly blameShared: boolean;
    } & OnSide)
  /** Handlers that hang in a worker that lives on for a while and then is blocked, or dies. */
  | ({
      readonly kind: 'hang';
      readonly worker: number;
      readonly want: number;
      readonly cancel: boolean;
      readonly blocks: boolean;
    } & OnSide);
