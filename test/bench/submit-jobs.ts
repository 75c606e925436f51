import type { BenchJob } from './job.js';
import { nowMs, type Command, type Replies } from './protocol.js';
import type { Side } from './sides/side.js';

/** Submits so many jobs (a multiple of `batch`) with so many calls in flight, one job a call or `batch` of them. */
export async function submitJobs(
  side: Side,
  jobs: readonly BenchJob[],
  { variant, jobs: count, inFlight, batch }: Extract<Command, { do: 'submit' }>,
): Promise<Replies['submit']> {
  const batches = Math.floor(jobs.length / batch);
  let left = count;
  let next = 0;
  const submitNext = (): Promise<unknown> => {
    const place = next++ % batches;
    if (batch > 1) return side.submitBulk(variant, jobs.slice(place * batch, (place + 1) * batch));
    const job = jobs[place];
    if (job === undefined) throw new Error(`There are no jobs beyond ${jobs.length}.`);
    return side.submit(variant, job, inFlight);
  };
  const stream = async (): Promise<void> => {
    while (left > 0) {
      left -= batch;
      await submitNext();
    }
  };
  const cpu = process.cpuUsage();
  const started = nowMs();
  await Promise.all(Array.from({ length: inFlight }, stream));
  const seconds = (nowMs() - started) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  return { seconds, cpuUs: user + system };
}
