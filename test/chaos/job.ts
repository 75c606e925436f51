import { IsIn, IsInt } from 'class-validator';
import { WebhookDeliver } from '../../libs/catalog/src/index.js';
import { defineJob, fixed, type JobDefinition } from '../../libs/jobs/src/index.js';
import { Random } from './random.js';

/** What a job is to come to: success at once, success at the second attempt, or a burial. */
const FATES = ['succeeds', 'recovers', 'is_refused'] as const;
export type Fate = (typeof FATES)[number];

export class ChaosPayload {
  /** Of the submit; no two have the same. */
  @IsInt()
  readonly number!: number;

  /** How long the handler takes. */
  @IsInt()
  readonly ms!: number;

  @IsIn(FATES)
  readonly fate!: Fate;
}

/**
 * The faults kill their workers, so crashes are no sign that a job kills: only ten of them bury. No run is meant to time out. They retry
 * as soon as they may.
 */
const POLICY = {
  payload: ChaosPayload,
  maxCrashes: 10,
  timeout: '10m',
  concurrency: { worker: 10_000 },
  retry: fixed('200ms'),
} as const;

/** Two types, so that workers share their slots and hold a lease for each. */
export const Brief = defineJob('chaos.brief', POLICY);
export const Long = defineJob('chaos.long', POLICY);
export const DEFINITIONS: readonly JobDefinition[] = [Brief, Long];
/** With what brings about their webhooks. */
export const WORKER_DEFINITIONS: readonly JobDefinition[] = [...DEFINITIONS, WebhookDeliver];

/** A job to submit. */
export interface ChaosJob {
  readonly type: string;
  readonly payload: ChaosPayload;
}

/** The same for the same seed and number. Brief ones take 1 ms to 1 s, long ones up to three leases. */
export function drawJob(seed: number, number: number, leaseMs: number): ChaosJob {
  const random = new Random(seed ^ Math.imul(number + 1, 0x9e3779b1));
  const drawn = random.fraction();
  const fate = drawn < 0.05 ? 'is_refused' : drawn < 0.12 ? 'recovers' : 'succeeds';
  const isLong = random.fraction() < 0.3;
  const ms = isLong ? random.whole(1_000, 3 * leaseMs) : random.spread(1, 1_000);
  return { type: (isLong ? Long : Brief).type, payload: { number, ms, fate } };
}

const WEBHOOK_EVERY = 5;

/** Whether the end of a job is to be told to a webhook; the same for the same number. */
export function wantsWebhook({ payload: { number } }: ChaosJob): boolean {
  return number % WEBHOOK_EVERY === 0;
}

/** A job that is certain to run when the workers under the crowd are killed. */
export function crowdJob(number: number, leaseMs: number): ChaosJob {
  return { type: Long.type, payload: { number, ms: 3 * leaseMs, fate: 'succeeds' } };
}
