import 'reflect-metadata';
import { startApi } from '../../../apps/api/src/start-api.js';
import { configOrExit, createLogger, loadApiConfig } from '../../../libs/platform/src/index.js';
import { DEFINITIONS } from '../job.js';
import { endWithParent, tellHeap, tellParent } from './parent.js';

/** The api as it is built, for the jobs of the campaign. */

endWithParent();
tellHeap();
const config = configOrExit(loadApiConfig);
await startApi(config, createLogger({ app: 'api', level: config.logLevel, format: config.logFormat }), {
  definitions: DEFINITIONS,
});
tellParent('up');
