import 'reflect-metadata';
import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Module } from '@nestjs/common';
import { HttpAdapterHost, ModuleRef, NestFactory } from '@nestjs/core';
import { WebhookDeliverModule } from '../../../apps/worker/src/handlers/webhook-deliver/webhook-deliver.module.js';
import { webhookDelivery } from '../../../apps/worker/src/webhooks/webhook-delivery.js';
import { JobHandler, JobsModule, PermanentError, type Handles, type JobContext } from '../../../libs/jobs/src/index.js';
import { WORKER_IDENTITY } from '../../../libs/jobs/src/runtime/worker-identity.js';
import type { WorkerIdentity } from '../../../libs/jobs/src/store/exchange.js';
import { NestLog, configOrExit, createLogger, loadWorkerConfig } from '../../../libs/platform/src/index.js';
import { Brief, Long, WORKER_DEFINITIONS } from '../job.js';
import type { RunNote } from '../ledger/entries.js';
import { Ledger } from '../ledger/ledger.js';
import { endWithParent, setting, tellHeap, tellParent } from './parent.js';

/** A worker whose handlers take their time and write down when they begin and end. It calls webhooks as the worker of the product does. */

endWithParent();
tellHeap();
const config = configOrExit(loadWorkerConfig);
const logger = createLogger({ app: 'worker', level: config.logLevel, format: config.logFormat });
const name = setting('CHAOS_PROCESS');
/** Not where connections fail: what waits for its note would not be seen to end. */
const takesNotes = process.env['CHAOS_NOTES'] !== undefined;
const ledger = new Ledger(setting('CHAOS_LEDGER'));

@Injectable()
class Work {
  private runs = 0;

  constructor(private readonly modules: ModuleRef) {}

  async carryOut(context: JobContext<typeof Brief>): Promise<void> {
    const { jobId, payload, attempt, signal } = context;
    this.runs += 1;
    const run = `${name}/${this.runs}`;
    const { number, ms, fate } = payload;
    const worker = String(this.modules.get<WorkerIdentity>(WORKER_IDENTITY, { strict: false }).number);
    const note = { run, jobId, number, process: name, worker };
    const write = (what: RunNote['what']) => ledger.write('runs', { ...note, what });
    await write('start');
    if (takesNotes) await takeNotes(context);
    try {
      await pause(ms, undefined, { signal });
    } catch (error) {
      await write('aborted');
      throw error;
    }
    const fails = fate === 'is_refused' || (fate === 'recovers' && attempt === 1);
    await write(fails ? 'failed' : 'succeeded');
    if (fate === 'is_refused') throw new PermanentError('The job is one that is refused.');
    if (fails) throw new Error('The first attempt is one that fails.');
  }
}

/** One of each kind. */
async function takeNotes({ log, progress, checkpoint, step, attempt }: JobContext<typeof Brief>): Promise<void> {
  log.info('The job has begun.', { attempt });
  progress(50, 'The job is half done.');
  await step('first', () => attempt);
  await checkpoint.save({ attempt });
}

@JobHandler(Brief)
class BriefHandler implements Handles<typeof Brief> {
  constructor(private readonly work: Work) {}

  handle(context: JobContext<typeof Brief>): Promise<void> {
    return this.work.carryOut(context);
  }
}

@JobHandler(Long)
class LongHandler implements Handles<typeof Long> {
  constructor(private readonly work: Work) {}

  handle(context: JobContext<typeof Long>): Promise<void> {
    return this.work.carryOut(context);
  }
}

@Module({
  imports: [
    JobsModule.forWorker({ ...config, definitions: WORKER_DEFINITIONS, webhooks: webhookDelivery, logger }),
    WebhookDeliverModule.register(config),
  ],
  providers: [Work, BriefHandler, LongHandler],
})
class ChaosWorkerModule {}

const app = await NestFactory.create(ChaosWorkerModule, { logger: new NestLog(logger), abortOnError: false });
await app.init();
// As in the worker's own main.ts: from here on jobs are claimed.
app.get(HttpAdapterHost).listening = true;
tellParent('up');
