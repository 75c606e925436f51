import type { Job } from '@antrean/jobs';
import { RunAct } from '../fixtures/engine/act.js';
import type { EngineHost } from '../fixtures/engine/engine-host.js';
import { startJobsApp, type JobsApp } from './jobs-app.js';
import { REDIS_URL, newKeyPrefix } from './shared-redis.js';

/**
 * Starts a worker in each of the processes, which runs many jobs at once and soon loses its lease, on keys of their own.
 * @returns an application that submits to them and looks, and runs nothing.
 */
export async function openCrowdedWorkers(...hosts: readonly EngineHost[]): Promise<JobsApp> {
  const keyPrefix = newKeyPrefix();
  const settings = { redisUrl: REDIS_URL, keyPrefix, leaseMs: 2_000, concurrency: { [RunAct.type]: 20 } };
  const observer = await startJobsApp([RunAct], [], { keyPrefix, types: ['!*'] });
  await Promise.all(hosts.map((host) => host.open(keyPrefix, settings)));
  return observer;
}

export const hasRun = ({ status }: Job): boolean => status === 'succeeded' || status === 'failed';
