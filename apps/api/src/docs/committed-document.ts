import { createLogger, loadApiConfig } from '@antrean/platform';
import { createApi } from '../create-api.js';
import { openApiDocument } from './document.js';

/** The text of openapi.json, from the routes alone: nothing is connected, no variable of the environment has a say. */
export async function committedDocument(): Promise<string> {
  const log = createLogger({ app: 'api', level: 'silent', format: 'json' });
  const app = await createApi(loadApiConfig({ REDIS_URL: 'redis://127.0.0.1:6379' }, false), log, { preview: true });
  return `${JSON.stringify(openApiDocument(app), null, 2)}\n`;
}
