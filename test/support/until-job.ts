import type { Job } from '@antrean/jobs';
import { eventually } from './eventually.js';
import type { JobsApp } from './jobs-app.js';

/** The job once `done` holds of it. Patient, as it runs in processes of their own on a machine that may be busy. */
export function untilJob(observer: JobsApp, jobId: string, done: (job: Job) => boolean, withinMs = 60_000): Promise<Job> {
  return eventually(async () => {
    const job = await observer.status.get(jobId);
    if (job === undefined || !done(job)) throw new Error(`${jobId} did not get there in time: ${JSON.stringify(job)}`);
    return job;
  }, withinMs);
}

export const succeeded = ({ status }: Job): boolean => status === 'succeeded';
