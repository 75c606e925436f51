import { setTimeout as pause } from 'node:timers/promises';
import { TypeKeys } from '../../libs/jobs/src/store/keys.js';
import type { Faults } from './faults.js';
import { Long } from './job.js';
import type { Progress } from './progress.js';
import type { Sizes } from './sizes.js';
import { KEY_PREFIX, type Stage, type Target } from './stage/stage.js';

const LOOK_MS = 50;
/** They take three. */
const LEASES_FOR_CROWD = 2;

/** Half of the workers died at once, with a crowd of runs in them. */
export interface CrowdKill {
  /** Jobs that ran, in all workers together. */
  readonly running: number;
  /** The processes that were killed, such as `worker-3.1`. */
  readonly processes: readonly string[];
}

/** Submits a crowd of jobs, and once all of them run kills those workers that run the most. */
export async function killWithCrowd(stage: Stage, faults: Faults, sizes: Sizes, progress: Progress): Promise<CrowdKill> {
  const keys = new TypeKeys(KEY_PREFIX, Long.type);
  const submitted = stage.crowd.heard('submitted');
  stage.crowd.tell('crowd');
  const running = await untilCrowded(stage, keys, sizes);
  // Claimed is not begun: nobody would miss a run that was never seen to start.
  await pause(sizes.leaseMs / 3);
  const targets = await busierHalf(stage, keys);
  const processes = targets.map(({ place }) => place.process);
  progress.say(`killing ${processes.join(' and ')} of the workers with ${running} jobs that run`);
  await faults.kill(targets, 'kill_worker', 0);
  await submitted;
  await stage.crowd.kill();
  return { running, processes };
}

/** Resolves to how many run: all of the crowd, or as many as a slow machine has begun before the first of them end. */
async function untilCrowded({ redis }: Stage, keys: TypeKeys, { crowd, leaseMs }: Sizes): Promise<number> {
  let deadline = Infinity;
  for (;;) {
    const running = await redis.runs(keys);
    if (running > crowd / 10) deadline = Math.min(deadline, performance.now() + LEASES_FOR_CROWD * leaseMs);
    if (running >= crowd || performance.now() > deadline) return running;
    await pause(LOOK_MS);
  }
}

async function busierHalf({ redis, workers }: Stage, keys: TypeKeys): Promise<Target[]> {
  const runs = await redis.runsByPid(keys);
  const runsOf = ({ place }: Target) => (place.pid === undefined ? 0 : (runs.get(place.pid) ?? 0));
  return workers.toSorted((a, b) => runsOf(b) - runsOf(a)).slice(0, workers.length / 2);
}
