import 'reflect-metadata';
import { LayoutMismatchError, UnfitRedisError } from '@antrean/jobs';
import { ListenError, configOrExit, createLogger, endGracefully, loadApiConfig } from '@antrean/platform';
import { UnfitDatabaseError } from '@antrean/shop';
import { collectDefaultMetrics } from 'prom-client';
import { startApi } from './start-api.js';

const config = configOrExit(loadApiConfig);
const log = createLogger({ app: 'api', level: config.logLevel, format: config.logFormat });
collectDefaultMetrics();

try {
  endGracefully(await startApi(config, log), log);
} catch (error) {
  const expected =
    error instanceof ListenError ||
    error instanceof LayoutMismatchError ||
    error instanceof UnfitRedisError ||
    error instanceof UnfitDatabaseError;
  log.fatal(expected ? { reason: error.message } : { err: error }, 'the api cannot start');
  process.exit(1);
}
