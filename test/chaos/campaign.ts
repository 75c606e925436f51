import { setTimeout as pause } from 'node:timers/promises';
import { killWithCrowd, type CrowdKill } from './crowd.js';
import { planFaults, type FaultKind } from './fault-plan.js';
import { Faults } from './faults.js';
import type { Evidence } from './judge/judge.js';
import type { Progress } from './progress.js';
import type { Stage, StageSettings } from './stage/stage.js';

const CROWD_MS = 90_000;
const SHARE_FOR_CROWD = 0.25;

export interface Outcome {
  readonly evidence: Evidence;
  readonly crowdKill: CrowdKill;
}

/** Submits, lets the busier half of the workers die under a crowd of jobs, then lets one fault after another happen, and collects what was written down. */
export async function runCampaign(
  stage: Stage,
  settings: StageSettings,
  kinds: readonly FaultKind[],
  progress: Progress,
): Promise<Outcome> {
  const { sizes, seed, minutes } = settings;
  const faults = new Faults(stage, progress);
  const stopFollowing = new AbortController();
  const followed = progress.follow(stage.ledger, stopFollowing.signal);
  await stage.start();
  const began = performance.now();
  const crowdKill = await killWithCrowd(stage, faults, sizes, progress);

  const crowdMs = Math.min(minutes * 60_000 * SHARE_FOR_CROWD, CROWD_MS);
  await pause(Math.max(crowdMs - (performance.now() - began), 0));
  const durationMs = minutes * 60_000 - crowdMs;
  const plan = planFaults({ seed, durationMs, leaseMs: sizes.leaseMs, kinds });
  progress.say(`${plan.length} faults within ${Math.round(durationMs / 1_000)} s`);
  await Promise.all([
    pause(durationMs),
    ...plan.map(async (fault) => {
      await pause(fault.atMs);
      await faults.carryOut(fault);
    }),
  ]);

  progress.say('the faults are over; waiting for all jobs to end');
  await letAllEnd(stage);
  stopFollowing.abort();
  await followed;
  return { evidence: await collect(stage), crowdKill };
}

async function letAllEnd({ load, reader, receiver, observer }: Stage): Promise<void> {
  const stopped = load.heard('stopped');
  load.tell('stop');
  await stopped;
  await reader.start();
  await reader.heard('read');
  const drained = receiver.heard('drained');
  receiver.tell('drain');
  await drained;
  const observed = observer.heard('stopped');
  observer.tell('stop');
  await observed;
}

async function collect({ ledger }: Stage): Promise<Evidence> {
  return {
    accepted: await ledger.read('accepted'),
    unanswered: await ledger.read('unanswered'),
    runs: await ledger.read('runs'),
    holds: await ledger.read('holds'),
    finals: await ledger.read('finals'),
    deliveries: await ledger.read('deliveries'),
    refusals: await ledger.read('refusals'),
    faults: await ledger.read('faults'),
  };
}
