import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import {
  configOrExit,
  createLogger,
  endGracefully,
  listen,
  ListenError,
  loadWorkerConfig,
  NestLog,
  type Logger,
  type WorkerConfig,
} from '@antrean/platform';
import { WorkerModule } from './worker.module.js';

const config = configOrExit(loadWorkerConfig);
const logger = createLogger({ app: 'worker', level: config.logLevel, format: config.logFormat });

try {
  await start(config, logger);
} catch (error) {
  logger.fatal(error instanceof ListenError ? { reason: error.message } : { err: error }, 'the worker cannot start');
  process.exit(1);
}

async function start({ host, port, types, slots }: WorkerConfig, log: Logger): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(WorkerModule.register(config, log), {
    logger: new NestLog(log),
    abortOnError: false,
    bodyParser: false,
    forceCloseConnections: true,
  });
  app.disable('x-powered-by').disable('etag');
  endGracefully(app, log);
  // Before the application is up: a worker that cannot show its health must not claim jobs.
  const url = await listen(app.getHttpServer(), { host, port, variables: 'WORKER_PORT or WORKER_HOST' });
  await app.init();
  log.info({ url, types, slots }, 'worker started');
}
