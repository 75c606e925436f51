import type { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from './eventually.js';
import type { JobsApp } from './jobs-app.js';

/**
 * How late delayed jobs start on a queue where nothing else happens, in ms by Redis' clock.
 * @param submitter the name of the application in the host that submits them; the jobs are of the type `count.run`
 */
export async function latenessMs(
  host: EngineHost,
  submitter: string,
  observer: JobsApp,
  { count, overMs }: { readonly count: number; readonly overMs: number },
): Promise<readonly number[]> {
  const jobs = Array.from({ length: count }, (_, n) => ({
    payload: { n },
    options: { delayMs: 500 + Math.floor(Math.random() * overMs) },
  }));
  const succeeded = async () => (await observer.status.depth('count.run')).counts.succeeded;
  const before = await succeeded();
  const ids = await host.submit(submitter, 'count.run', jobs);
  await eventually(async () => {
    const ran = (await succeeded()) - before;
    if (ran < count) throw new Error(`Only ${ran} of ${count} ran in time.`);
  }, overMs + 60_000);
  return Promise.all(
    ids.map(async (jobId) => {
      const job = await observer.status.get(jobId);
      if (!job?.startedAt) throw new Error(`${jobId} did not start.`);
      return job.startedAt.getTime() - job.runAt.getTime();
    }),
  );
}
