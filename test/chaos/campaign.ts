import { setTimeout as pause } from 'node:timers/promises';
import { TypeKeys } from '../../libs/jobs/src/store/keys.js';
import { planFaults, type FaultKind } from './fault-plan.js';
import { Faults } from './faults.js';
import { Long } from './job.js';
import type { Evidence } from './judge/judge.js';
import type { Progress } from './progress.js';
import { KEY_PREFIX, type Stage, type StageSettings } from './stage/stage.js';

const CROWD_MS = 90_000;
const LOOK_MS = 50;
const SHARE_FOR_CROWD = 0.25;

export interface Outcome {
  readonly evidence: Evidence;
  readonly runningAtKill: number;
}

/** Submits, lets half of the workers die under a crowd of jobs, then lets one fault after another happen, and collects what was written down. */
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
  const crowdMs = Math.min(minutes * 60_000 * SHARE_FOR_CROWD, CROWD_MS);
  const runningAtKill = await killWithCrowd(stage, faults, sizes.crowd, crowdMs, progress);

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
  return { evidence: await collect(stage), runningAtKill };
}

async function killWithCrowd(stage: Stage, faults: Faults, crowd: number, withinMs: number, progress: Progress): Promise<number> {
  const began = performance.now();
  const { running: key } = new TypeKeys(KEY_PREFIX, Long.type);
  stage.load.tell('crowd');
  let running = 0;
  while (running < crowd && performance.now() - began < withinMs) {
    await pause(LOOK_MS);
    running = await stage.redis.count(key);
  }
  progress.say(
    `killing half of the workers with ${running} jobs that run, after ${Math.round((performance.now() - began) / 1_000)} s`,
  );
  await faults.kill(stage.workers.slice(stage.workers.length / 2), 'kill_worker', 0);
  await pause(Math.max(withinMs - (performance.now() - began), 0));
  return running;
}

async function letAllEnd({ load, reader, observer }: Stage): Promise<void> {
  const stopped = load.heard('stopped');
  load.tell('stop');
  await stopped;
  await reader.start();
  await reader.heard('read');
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
    faults: await ledger.read('faults'),
  };
}
