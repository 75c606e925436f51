import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { JobDefinition } from '@antrean/jobs';
import { NestLog, type ApiConfig, type Logger } from '@antrean/platform';
import { ApiModule } from './api.module.js';
import { DOCS_PATH, serveDocs } from './docs/serve-docs.js';
import { accessLog } from './http/access-log.js';
import { ApiAdapter } from './http/api-adapter.js';
import { demandHost } from './http/demand-host.js';
import type { ClientLimits } from './http/hardened-server.js';
import { securityHeaders } from './http/security-headers.js';

export interface CreateOptions {
  /** Only the routes, for the OpenAPI document: nothing is built or connected. */
  readonly preview?: boolean;
  /** Job types instead of this product's. */
  readonly definitions?: readonly JobDefinition[];
  /** How long it waits for its clients, instead of this product's times. */
  readonly limits?: Partial<ClientLimits>;
}

/** The api with all its routes, not listening yet. It needs no Redis to be created. */
export async function createApi(
  config: ApiConfig,
  log: Logger,
  { preview = false, definitions, limits }: CreateOptions = {},
): Promise<NestExpressApplication> {
  const app = await NestFactory.create<NestExpressApplication>(
    ApiModule.register(config, log, definitions),
    new ApiAdapter(limits),
    {
      bodyParser: false,
      logger: new NestLog(log),
      abortOnError: false,
      preview,
    },
  );
  app.disable('x-powered-by');
  // Entity tags are made where they are promised.
  app.set('etag', false);
  app.set('trust proxy', config.trustProxy);
  app.use(accessLog(log));
  app.use(securityHeaders(DOCS_PATH));
  app.use(demandHost);
  serveDocs(app);
  await app.init();
  return app;
}
