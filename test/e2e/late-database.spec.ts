import { SendEmail } from '@antrean/catalog';
import { migrate } from '../../libs/shop/src/migrations/migrate.js';
import { builtApps } from '../support/built-apps.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { testDatabases } from '../support/shop-database.js';
import { succeeded, untilJob } from '../support/until-job.js';

const MAIL = { to: 'ana@example.com', template: 'welcome', variables: { name: 'Ana' } };

describe('a worker whose database is away when it starts, and comes without its tables', () => {
  const databases = testDatabases('PostgreSQL');
  const keyPrefix = newKeyPrefix();
  const workers = builtApps('worker', { REDIS_URL, KEY_PREFIX: keyPrefix, WORKER_PORT: '0', NODE_ENV: 'production' });

  it('takes no jobs and says what to do, until that was done', async () => {
    const database = await databases.newUrl();
    await databases.server.kill();
    const clients = await startJobsApp([SendEmail], [], { keyPrefix, types: ['!*'] });
    try {
      const { jobId } = await clients.queue.enqueue(SendEmail, MAIL, { maxAttempts: 1 });
      const worker = await workers.start({ DATABASE_URL: database });
      const ready = `${await worker.url()}/health/ready`;
      const refusal = async () => ((await (await fetch(ready)).json()) as { readonly detail?: string }).detail;
      expect(await refusal()).toContain('The database has not answered yet');
      await databases.server.restart();
      await eventually(async () => {
        expect(await refusal()).toContain('Run "npm run migrate"');
      });
      expect(await clients.status.get(jobId)).toMatchObject({ status: 'queued', attempt: 0 });

      await migrate(database);
      await untilJob(clients, jobId, succeeded);
      expect((await fetch(ready)).status).toBe(200);
      worker.kill('SIGTERM');
      expect(await worker.exit()).toEqual({ code: 0, signal: null });
    } finally {
      await clients.close();
    }
  });
});
