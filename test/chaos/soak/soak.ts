import { setTimeout as pause } from 'node:timers/promises';
import { WORKER_DEFINITIONS } from '../job.js';
import type { Progress } from '../progress.js';
import { KEY_PREFIX, type Stage, type StageSettings } from '../stage/stage.js';
import { growthsOf, type Growths } from './growth.js';
import { unexplainedKeys } from './keys-at-rest.js';
import { takeSample, type Sample } from './sample.js';

const SAMPLES = 60;
const TYPES = WORKER_DEFINITIONS.map(({ type }) => type);
const LOOK_MS = 1_000;

export interface SoakOutcome {
  readonly accepted: number;
  readonly unanswered: number;
  readonly growths: Growths;
  /** Keys in Redis when all jobs had ended and been kept as long as they are to be. */
  readonly keysLeft: number;
  /** Those among them that nothing accounts for. */
  readonly unexplained: readonly string[];
  readonly isFlat: boolean;
}

/** Lets a mixed load run for as long as it is told, and looks whether anything grows by it. */
export async function runSoak(stage: Stage, settings: StageSettings, progress: Progress): Promise<SoakOutcome> {
  await Promise.all(stage.targets.map(({ place }) => place.start()));
  await stage.load.start();
  progress.say('all is up');
  const samples: Sample[] = [];
  for (let nth = 0; nth < SAMPLES; nth += 1) {
    await pause((settings.minutes * 60_000) / SAMPLES);
    const sample = await takeSample(stage, settings.folder);
    samples.push(sample);
    progress.say(describe(sample));
  }
  const stopped = stage.load.heard('stopped');
  stage.load.tell('stop');
  await stopped;
  progress.say('the load is over; waiting for all jobs to end and to be removed');
  const growths = growthsOf(samples);
  const keys = await keysAfterAll(stage, settings);
  const unexplained = unexplainedOf(keys);
  return {
    accepted: await stage.ledger.count('accepted'),
    unanswered: await stage.ledger.count('unanswered'),
    growths,
    keysLeft: keys.length,
    unexplained,
    isFlat: unexplained.length === 0 && Object.values(growths).every(({ flat }) => flat),
  };
}

/** The sweep sleeps for a minute at most. */
async function keysAfterAll({ redis }: Stage, { sizes }: StageSettings): Promise<readonly string[]> {
  const deadline = performance.now() + 10 * sizes.leaseMs + 120_000;
  for (;;) {
    const keys = await redis.keyNames();
    if (unexplainedOf(keys).length === 0 || performance.now() > deadline) return keys;
    await pause(LOOK_MS);
  }
}

function unexplainedOf(keys: readonly string[]): readonly string[] {
  return unexplainedKeys(keys, KEY_PREFIX, TYPES);
}

function describe(sample: Sample): string {
  return Object.entries(sample)
    .map(([name, value]) => `${name} ${value > 2 ** 20 ? `${(value / 2 ** 20).toFixed(1)} MiB` : value}`)
    .join(', ');
}
