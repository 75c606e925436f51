import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { JobsModule, QueueService } from '../../../libs/jobs/src/index.js';
import { createLogger } from '../../../libs/platform/src/index.js';
import { crowdJob, DEFINITIONS, Long, type ChaosPayload } from '../job.js';
import { Ledger } from '../ledger/ledger.js';
import { endWithParent, setting, tellParent } from './parent.js';

/** Told `crowd`, it submits at once as many jobs as are to run together: over HTTP that would take longer than they run. */

const AGAIN_MS = 100;

const ledger = new Ledger(setting('CHAOS_LEDGER'));
const seed = setting('CHAOS_SEED');
const leaseMs = Number(setting('CHAOS_LEASE_MS'));
const crowd = Number(setting('CHAOS_CROWD'));

@Module({
  imports: [
    JobsModule.forProducer({
      definitions: DEFINITIONS,
      redisUrl: setting('REDIS_URL'),
      keyPrefix: setting('KEY_PREFIX'),
      logger: createLogger({ app: 'api', level: 'warn', format: 'json' }),
    }),
  ],
})
class CrowdModule {}

endWithParent();
const app = await NestFactory.createApplicationContext(CrowdModule, { logger: false });
const queue = app.get(QueueService);
process.on('message', (message) => {
  if (message === 'crowd') void submitCrowd();
});
tellParent('up');

async function submitCrowd(): Promise<void> {
  // Those of the load's jobs are above 0.
  let left = Array.from({ length: crowd }, (_, index) => crowdJob(-1 - index, leaseMs).payload);
  for (;;) {
    left = await submit(left);
    if (left.length === 0) break;
    await pause(AGAIN_MS);
  }
  tellParent('submitted');
}

/** Resolves to those that were not accepted. */
async function submit(payloads: readonly ChaosPayload[]): Promise<ChaosPayload[]> {
  const jobs = payloads.map((payload) => ({ payload, options: { onceKey: `${seed}${payload.number}` } }));
  const results = await queue.enqueueBulk(Long, jobs);
  const accepted = payloads.flatMap(({ number, fate }, index) => {
    const result = results[index];
    return result !== undefined && 'accepted' in result ? [{ jobId: result.accepted.jobId, number, fate, webhook: false }] : [];
  });
  await Promise.all(accepted.map((entry) => ledger.write('accepted', entry)));
  const numbers = new Set(accepted.map(({ number }) => number));
  return payloads.filter(({ number }) => !numbers.has(number));
}
