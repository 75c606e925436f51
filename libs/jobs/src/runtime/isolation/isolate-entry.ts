import 'reflect-metadata';
import { workerData } from 'node:worker_threads';
import { Module, type INestApplicationContext } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { carry } from './carried.js';
import { Calls } from './inside/calls.js';
import { findHandler } from './inside/find-handler.js';
import { InsideRun } from './inside/inside-run.js';
import { loadModule } from './inside/load-module.js';
import { NestLogReports } from './inside/nest-log-reports.js';
import { parseOrder, type IsolateReport } from './isolate-messages.js';
import { parseSetup, type IsolateSetup } from './isolate-setup.js';

@Module({})
class IsolateModule {}

const setup = parseSetup(workerData);
if (setup !== undefined) void main(setup);

/** The life of a thread that runs the jobs of one type; see isolate.ts for the other side. */
async function main({ port, type, file }: IsolateSetup): Promise<void> {
  const report = (message: IsolateReport): void => {
    port.postMessage(message);
  };
  const logger = new NestLogReports(report);
  let app: INestApplicationContext | undefined;
  try {
    const imports = [DiscoveryModule, await loadModule(file)];
    // Without abortOnError: false, Nest ends the process itself, and with it the chance to say why.
    app = await NestFactory.createApplicationContext({ module: IsolateModule, imports }, { logger, abortOnError: false });
    listen(app);
  } catch (thrown) {
    report({ kind: 'boot_failed', thrown: carry(thrown) });
  }

  function listen(app: INestApplicationContext): void {
    const found = findHandler(app, type);
    const calls = new Calls(report);
    let current: { readonly number: number; readonly run: InsideRun } | undefined;
    port.on('message', (message: unknown) => {
      const order = parseOrder(message);
      switch (order?.kind) {
        case 'run': {
          const run = new InsideRun(order.run, order.job, found, calls, report);
          current = { number: order.run, run };
          void run.execute();
          break;
        }
        case 'abort':
          if (current?.number === order.run) current.run.abort(order.reason);
          break;
        case 'answer':
          calls.answer(order.call, order.value);
          break;
        case 'refusal':
          calls.refuse(order.call, order.thrown);
          break;
        case 'work':
          void calls.work(order.call);
          break;
        case 'end':
          void close(app);
          break;
        case undefined:
          logger.warn('the process sent a message of an unknown form');
      }
    });
    report({ kind: 'ready' });
  }

  async function close(app: INestApplicationContext): Promise<void> {
    try {
      await app.close();
    } catch (error) {
      logger.error(error);
    }
    port.close();
  }
}
