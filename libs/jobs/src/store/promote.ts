import type { Link } from './link.js';
import { asArray, asJobs, asNumber, type StoredJob } from './reply.js';
import { Script } from './script.js';

const script = new Script('promote');

export interface Promotion {
  /** The jobs that queue or are expired now, without their payloads. */
  readonly moved: readonly StoredJob[];
  /** Milliseconds until the next waiting job is due or expires; undefined when there is none. */
  readonly nextDueInMs: number | undefined;
  /** More is due than the pace allows; `nextDueInMs` leads to the next window. */
  readonly paced: boolean;
  /** A worker was woken. */
  readonly woke: boolean;
}

/** How many jobs of a type may queue within a window of so many ms, all workers together. */
export interface PromotionPace {
  readonly jobs: number;
  readonly windowMs: number;
}

export interface PromoteCall {
  readonly limit: number;
  readonly keepFinished: boolean;
  readonly pace: PromotionPace;
}

/** Moves jobs of a type whose time has come to the back of their line, and ends those that expired; at most `limit`. */
export async function promote(link: Link, type: string, { limit, keepFinished, pace }: PromoteCall): Promise<Promotion> {
  const keys = link.keys(type);
  const [nextDueIn, signs, ...moved] = asArray(
    await script.run(
      link.redis,
      [
        keys.clock,
        keys.seq,
        keys.scheduled,
        keys.retrying,
        keys.idle,
        keys.expiring,
        keys.expired,
        keys.parked,
        keys.ghosts,
        keys.suspects,
        ...keys.ready,
        keys.pace,
      ],
      [limit, keepFinished ? 1 : 0, pace.jobs, pace.windowMs],
    ),
  );
  const nextDueInMs = asNumber(nextDueIn);
  const signBits = asNumber(signs);
  return {
    moved: asJobs(moved),
    nextDueInMs: nextDueInMs < 0 ? undefined : nextDueInMs,
    paced: (signBits & 1) !== 0,
    woke: (signBits & 2) !== 0,
  };
}
