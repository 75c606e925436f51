import type { Child } from './child-process.js';
import type { WorkerReport } from './protocol.js';
import type { RedisReading } from './redis-meter.js';
import type { WorkerSettings } from './sides/side.js';
import type { Stage } from './stage.js';

/** What it took to do all jobs of a queue. */
export interface Drained {
  /** From the start of the first handler until Redis knew the last job to be finished. */
  readonly seconds: number;
  readonly redis: RedisReading;
  readonly workerCpuUs: number;
}

type Progress = Extract<WorkerReport, { report: 'progress' }>;

/** Longer than the slowest machine takes for the largest number of jobs. */
const PATIENCE_MS = 120_000;

/** Has workers do all jobs that are queued. They are up and connected before any of them starts. */
export async function drain(stage: Stage, workers: readonly Child[], settings: WorkerSettings, jobs: number): Promise<Drained> {
  for (const worker of workers) await worker.ask({ do: 'open_worker', settings, report: 'progress' });
  try {
    const before = await stage.redis.read();
    const done = whenDone(workers, jobs);
    await Promise.all(workers.map((worker) => worker.ask({ do: 'start_worker' })));
    const progress = await Promise.race([done, ...workers.map(({ failure }) => failure)]);
    const after = await stage.redis.read();
    const first = Math.min(...progress.map(({ firstStartMs }) => firstStartMs));
    const last = Math.max(...progress.map(({ lastEndMs }) => lastEndMs));
    return {
      seconds: (last - first) / 1_000,
      redis: difference(after, before),
      workerCpuUs: progress.reduce((sum, { cpuUs }) => sum + cpuUs, 0),
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.ask({ do: 'close_worker' })));
  }
}

/** The last report of each worker that did something, once together they have done all. */
function whenDone(workers: readonly Child[], jobs: number): Promise<readonly Progress[]> {
  const latest = new Map<Child, Progress>();
  const settled = (): number => [...latest.values()].reduce((sum, progress) => sum + progress.settled, 0);
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`Only ${settled()} of ${jobs} jobs were done within ${PATIENCE_MS / 1_000} s.`));
    }, PATIENCE_MS);
    for (const worker of workers) {
      worker.onReport = (report) => {
        if (report.report !== 'progress') return;
        latest.set(worker, report);
        if (settled() < jobs) return;
        clearTimeout(timer);
        resolve([...latest.values()]);
      };
    }
  });
}

function difference(after: RedisReading, before: RedisReading): RedisReading {
  return {
    cpuUs: after.cpuUs - before.cpuUs,
    scriptUs: after.scriptUs - before.scriptUs,
    scriptCalls: after.scriptCalls - before.scriptCalls,
    bytes: after.bytes - before.bytes,
  };
}
