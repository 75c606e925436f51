import { Customers } from '@antrean/shop';
import { builtApps } from '../support/built-apps.js';
import { eventually } from '../support/eventually.js';
import { PdfReader } from '../support/pdf-reader.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { testDatabases } from '../support/shop-database.js';
import { folderStorage, s3Storage, type TestStorage } from '../support/stored-files.js';

interface Answer {
  readonly job_id: string;
  readonly status: string;
  readonly result: { readonly url: string };
}

const NAMES = ['Zoë "Z"', '王小明', '=1+1'];
const pdfs = new PdfReader();
afterAll(() => pdfs.close());

describe.each<readonly [string, () => Promise<TestStorage>]>([
  ['a folder', folderStorage],
  ['S3', s3Storage],
])('a document, kept in %s', (_kind, open) => {
  const databases = testDatabases('SQLite');
  const shared = { REDIS_URL, KEY_PREFIX: newKeyPrefix() };
  const apis = builtApps('api', { ...shared, PORT: '0' });
  const workers = builtApps('worker', { ...shared, WORKER_PORT: '0', WORKER_TYPES: '*.generate' });
  let files: TestStorage;

  beforeAll(async () => {
    files = await open();
  });
  afterAll(() => files.remove());

  it('is asked for over HTTP, written by a thread of the worker, and downloaded', async () => {
    const { url: databaseUrl, database } = await databases.migrated();
    const entries = NAMES.map((name, nth) => ({ email: `c${nth}@example.com`, name }));
    await database.transaction((transaction) => new Customers(database).upsert(transaction, entries));
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '' } = process.env;
    const env = { DATABASE_URL: databaseUrl, STORAGE_URL: files.url, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY };
    const [api, worker] = await Promise.all([apis.start(env), workers.start(env)]);
    const root = await api.url();
    const post = (path: string, body: object, wait = '') =>
      fetch(`${root}${path}`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Prefer: wait },
        body: JSON.stringify(body),
      });

    const exported = await post('/exports', { user_id: 'ana', format: 'json' }, 'wait=30');
    const job = (await exported.json()) as Answer;
    expect(job).toMatchObject({ status: 'succeeded', result: { rows: NAMES.length, url: `/exports/${job.job_id}` } });
    const customers = (await (await fetch(`${root}${job.result.url}`)).json()) as readonly { readonly name: string }[];
    expect(customers.map(({ name }) => name).toSorted()).toEqual(NAMES.toSorted());

    const asked = await post('/reports', { report: 'customers', format: 'pdf', user_id: 'ana' });
    expect(asked.status).toBe(202);
    const { job_id } = (await asked.json()) as Answer;
    const pdf = await eventually(async () => {
      const answer = await fetch(`${root}/reports/${job_id}`);
      if (answer.status !== 200) throw new Error(`It is ${answer.status}: ${await answer.text()}${worker.stdout}`);
      return answer;
    }, 60_000);
    expect(pdf.headers.get('content-type')).toBe('application/pdf');
    const { pages } = await pdfs.read(new Uint8Array(await pdf.arrayBuffer()));
    expect(pages.map((page) => page.replaceAll(/\s+/g, ''))).toEqual([expect.stringMatching(/Page1of1.*王小明.*Total:3/)]);

    for (const app of [worker, api]) {
      app.kill('SIGTERM');
      expect(await app.exit()).toEqual({ code: 0, signal: null });
      expect(app.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
    }
  });
});
