import 'reflect-metadata';
import { HttpAdapterHost, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { LayoutMismatchError, UnfitRedisError, WorkerBootError } from '@antrean/jobs';
import {
  ListenError,
  NestLog,
  StorageHealth,
  configOrExit,
  createLogger,
  endGracefully,
  listen,
  loadWorkerConfig,
} from '@antrean/platform';
import { DatabaseLife, UnfitDatabaseError } from '@antrean/shop';
import { letHeapGrow } from './steady-heap.js';
import { WorkerModule } from './worker.module.js';

const config = configOrExit(loadWorkerConfig);
const logger = createLogger({ app: 'worker', level: config.logLevel, format: config.logFormat });

try {
  await start();
} catch (error) {
  const expected =
    error instanceof ListenError ||
    error instanceof LayoutMismatchError ||
    error instanceof UnfitRedisError ||
    error instanceof UnfitDatabaseError ||
    error instanceof WorkerBootError;
  logger.fatal(expected ? { reason: error.message } : { err: error }, 'the worker cannot start');
  process.exit(1);
}

async function start(): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.register(config, logger), {
    logger: new NestLog(logger),
    abortOnError: false,
    bodyParser: false,
    forceCloseConnections: true,
  });
  app.disable('x-powered-by').disable('etag');
  await app.init();
  await app.get(StorageHealth).tell(logger);
  const { host, port } = config;
  const url = await listen(app.getHttpServer(), { host, port, variables: 'WORKER_PORT or WORKER_HOST' });
  // Until now there is nothing to bring to an end: a signal just ends the process.
  endGracefully(app, logger);
  logger.info({ url }, 'health and metrics are up');
  letHeapGrow();
  void app.get(DatabaseLife).fit.then(() => {
    // From here on jobs are claimed: the worker waits for Nest's word that the application listens.
    app.get(HttpAdapterHost).listening = true;
  });
}
