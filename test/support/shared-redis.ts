import { randomUUID } from 'node:crypto';
import { createLogger } from '@antrean/platform';

/** Where the tests' Redis is; `npm test` starts one. */
export const REDIS_URL = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6390';

/** A prefix of one's own, so that test files run side by side. */
export function newKeyPrefix(): string {
  return `test-${randomUUID().slice(0, 8)}`;
}

export const silentLogger = createLogger({ app: 'worker', level: 'silent', format: 'json' });
