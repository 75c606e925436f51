import 'reflect-metadata';
import { workerData } from 'node:worker_threads';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { carry } from './carry.js';
import { findHandler } from './inside/find-handler.js';
import { InsideJobs } from './inside/inside-jobs.js';
import { loadModule } from './inside/load-module.js';
import { NestLogReports } from './inside/nest-log-reports.js';
import { parseOrder, type IsolateReport } from './isolate-messages.js';
import { parseSetup, type IsolateSetup } from './isolate-setup.js';

/** The root of a thread's application. */
@Module({})
class IsolateModule {}

const setup = parseSetup(workerData);
if (setup !== undefined) await main(setup);

/** The life of a thread that runs the jobs of one type; isolate.ts is its other side. */
async function main({ port, type, file }: IsolateSetup): Promise<void> {
  const report = (message: IsolateReport): void => {
    port.postMessage(message);
  };
  const logger = new NestLogReports(report);
  try {
    const app = await bootModule(file, logger);
    const jobs = new InsideJobs(findHandler(app, type), report);
    port.on('message', (message: unknown) => {
      const order = parseOrder(message);
      if (order === undefined) logger.warn('the process sent a message of an unknown form');
      else if (order.kind !== 'end') void jobs.obey(order);
      else {
        void close(app, logger).then(() => {
          port.close();
        });
      }
    });
    report({ kind: 'ready' });
  } catch (thrown) {
    report({ kind: 'boot_failed', thrown: carry(thrown) });
  }
}

async function bootModule(file: string, logger: NestLogReports): Promise<INestApplicationContext> {
  const imports = [DiscoveryModule, await loadModule(file)];
  // Left to itself, Nest ends the thread at a failure, and with it the chance to say why.
  return NestFactory.createApplicationContext({ module: IsolateModule, imports }, { logger, abortOnError: false });
}

async function close(app: INestApplicationContext, logger: NestLogReports): Promise<void> {
  try {
    await app.close();
  } catch (error) {
    logger.error(error);
  }
}
