import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Test, type TestingModule } from '@nestjs/testing';
import { ReportGenerate, catalog } from '@antrean/catalog';
import { JobsModule, QueueService, StatusService, isFinal } from '@antrean/jobs';
import { builtApps } from '../support/built-apps.js';
import { eventually } from '../support/eventually.js';
import { payloadOf } from '../support/job-context.js';
import { PdfReader } from '../support/pdf-reader.js';
import { REDIS_URL, newKeyPrefix, silentLogger } from '../support/shared-redis.js';

jest.setTimeout(60_000);

describe('a report that is asked for as PDF', () => {
  const keyPrefix = newKeyPrefix();
  const { start } = builtApps('worker', { REDIS_URL, KEY_PREFIX: keyPrefix, WORKER_PORT: '0', WORKER_TYPES: 'report.generate' });
  const pdfs = new PdfReader();
  let producer: TestingModule;

  beforeAll(async () => {
    const options = { definitions: catalog, redisUrl: REDIS_URL, keyPrefix, maxPayloadBytes: 262_144, logger: silentLogger };
    producer = await Test.createTestingModule({ imports: [JobsModule.forProducer(options)] }).compile();
    await producer.init();
  });

  afterAll(async () => {
    await producer.close();
    await pdfs.close();
  });

  it('is written by a thread of the worker, on a database and a storage of its own', async () => {
    const worker = await start();
    const payload = payloadOf(ReportGenerate, { report: 'orders', format: 'pdf', user_id: 'ana' });
    const { jobId } = await producer.get(QueueService).enqueue(ReportGenerate, payload);
    const job = await eventually(async () => {
      const found = await producer.get(StatusService).get(jobId);
      if (found === undefined || !isFinal(found.status)) throw new Error(`${jobId} has not ended: ${worker.stdout}`);
      return found;
    });
    const key = `jobs/report.generate/${jobId.slice('report.generate_'.length).toLowerCase()}/orders.pdf`;
    expect(job).toMatchObject({ status: 'succeeded', result: { file_key: key, rows: 0, format: 'pdf' } });
    const bytes = await readFile(join(worker.folder, '.data/storage', key));
    expect(job.result).toMatchObject({ bytes: bytes.length });
    const { pages } = await pdfs.read(Uint8Array.from(bytes));
    expect(pages.map((page) => page.replaceAll(/\s+/g, ''))).toEqual([expect.stringContaining('Page1of1')]);
    worker.kill('SIGTERM');
    expect(await worker.exit()).toEqual({ code: 0, signal: null });
    expect(worker.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
  });
});
