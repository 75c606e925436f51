import { createInterface } from 'node:readline';
import { buffer } from 'node:stream/consumers';
import { loadavg } from 'node:os';
import { ExportGenerate, ReportGenerate } from '@antrean/catalog';
import type { Job } from '@antrean/jobs';
import type { StorageName } from '@antrean/platform';
import { parse } from 'csv-parse';
import { builtApps } from '../support/built-apps.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { PdfReader } from '../support/pdf-reader.js';
import { testDatabases } from '../support/shop-database.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { folderStorage, type TestStorage } from '../support/stored-files.js';
import { TestRedis } from '../support/test-redis.js';
import { fillShop } from './million-rows.js';

/** A smaller number, for a first look, may be named. */
const ROWS = Number(process.env['DOCUMENT_ROWS'] ?? 1_000_000);
const MIB = 1_048_576;
const MOST_BYTES = 250 * MIB;
/** More than the types have, as the machine may be busy with other things. */
const LONGEST_MS = 120 * 60_000;

jest.setTimeout(2 * LONGEST_MS);

describe(`a document of ${ROWS.toLocaleString('en')} rows`, () => {
  const databases = testDatabases('SQLite');
  const keyPrefix = newKeyPrefix();
  const workers = builtApps('worker', { KEY_PREFIX: keyPrefix, WORKER_PORT: '0' });
  const pdfs = new PdfReader();
  let redis: TestRedis;
  let files: TestStorage;
  let databaseUrl: string;
  let producer: JobsApp;

  beforeAll(async () => {
    [redis, files] = await Promise.all([TestRedis.start(), folderStorage()]);
    producer = await startJobsApp([ReportGenerate, ExportGenerate], [], { keyPrefix, redisUrl: redis.url, types: ['!*'] });
    const { url, database } = await databases.migrated();
    await fillShop(database, ROWS);
    databaseUrl = url;
  });

  afterAll(async () => {
    await Promise.all([producer.close(), pdfs.close()]);
    await Promise.all([redis.stop(), files.remove()]);
  });

  /** Made by a worker of its own, which holds little memory meanwhile. */
  async function made(what: string, submit: () => Promise<{ readonly jobId: string }>): Promise<StorageName> {
    const worker = await workers.start({ REDIS_URL: redis.url, DATABASE_URL: databaseUrl, STORAGE_URL: files.url });
    await worker.logged('worker started');
    const idle = await worker.peakMemory();
    const { jobId } = await submit();
    const job = await producer.status.wait(jobId, { timeoutMs: LONGEST_MS });
    const peak = await worker.peakMemory();
    expect(job).toMatchObject({ status: 'succeeded', result: { rows: ROWS } });
    const { file_key, bytes } = job?.result as { readonly file_key: StorageName; readonly bytes: number }; // As was just seen.
    const seconds = secondsOf(job);
    const facts = [
      `${seconds.toFixed(1)} s`,
      `${Math.round(ROWS / seconds).toLocaleString('en')} rows/s`,
      `${megabytes(bytes)} MB`,
      `peak ${megabytes(peak)} MB of memory (${megabytes(idle)} MB before)`,
      `load ${loadavg()[0]?.toFixed(1) ?? ''}`,
    ];
    process.stdout.write(`${what}: ${facts.join(', ')}\n`);
    expect(peak).toBeLessThan(MOST_BYTES);
    return file_key;
  }
  const patience = { timeoutMs: LONGEST_MS };
  const report = (format: 'csv' | 'pdf') =>
    made(`report, ${format}`, () =>
      producer.queue.enqueue(ReportGenerate, { report: 'orders', format, user_id: 'ana' }, patience),
    );
  const exported = (format: 'csv' | 'json' | 'pdf') =>
    made(`export, ${format}`, () => producer.queue.enqueue(ExportGenerate, { format, user_id: 'ana' }, patience));
  const bodyOf = async (name: StorageName) => (await files.storage.read(name)).body;

  it.each([
    ['a report', report],
    ['an export', exported],
  ])('is %s as CSV that has them all, in order', async (_what, make) => {
    let rows = 0;
    for await (const row of (await bodyOf(await make('csv'))).pipe(parse({ columns: true, bom: true }))) {
      const { id } = row as { readonly id: string }; // A record of texts, by its columns.
      if (Number(id.slice(5)) !== rows) throw new Error(`Row ${rows} is ${JSON.stringify(row)}.`);
      rows += 1;
    }
    expect(rows).toBe(ROWS);
  });

  it('is an export as JSON that has them all, in order', async () => {
    let rows = 0;
    for await (const line of createInterface({ input: await bodyOf(await exported('json')) })) {
      if (line === '[' || line === ']') continue;
      const { id } = JSON.parse(line.replace(/^,|,$/, '')) as { readonly id: string }; // An item a line.
      if (Number(id.slice(5)) !== rows) throw new Error(`Row ${rows} is ${line}.`);
      rows += 1;
    }
    expect(rows).toBe(ROWS);
  });

  it.each([
    ['a report', report],
    ['an export', exported],
  ])('is %s as PDF whose last page counts them and all pages', async (what, make) => {
    const { pages, text } = await pdfs.lastPage(Uint8Array.from(await buffer(await bodyOf(await make('pdf')))));
    process.stdout.write(`${what}, pdf: ${pages.toLocaleString('en')} pages\n`);
    const letters = text.replaceAll(/\s+/g, '');
    expect(letters).toContain(`Total:${ROWS.toLocaleString('en')}`);
    expect(letters).toContain(`Page${pages}of${pages}`);
  });
});

function secondsOf(job: Job | undefined): number {
  return ((job?.finishedAt?.getTime() ?? NaN) - (job?.startedAt?.getTime() ?? NaN)) / 1_000;
}

function megabytes(bytes: number): number {
  return Math.round(bytes / MIB);
}
