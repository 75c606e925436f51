import { Readable } from 'node:stream';
import { ExportGenerate, ReportGenerate } from '@antrean/catalog';
import { JobHandler, PermanentError, jobFolder, type Handles, type JobContext, type JobDefinition } from '@antrean/jobs';
import { Storage, parseStorageName, type StorageName } from '@antrean/platform';
import { startTestApi, type TestApi } from './api-app.js';
import { startJobsApp } from './jobs-app.js';
import { newKeyPrefix } from './shared-redis.js';
import type { TestStorage } from './stored-files.js';

/** As the types are, but run in the test's own process. */
const Report: JobDefinition<InstanceType<typeof ReportGenerate.payload>> = { ...ReportGenerate, isolation: 'none' };
const Export: JobDefinition<InstanceType<typeof ExportGenerate.payload>> = { ...ExportGenerate, isolation: 'none' };

/** What the jobs write from now on. */
class Content {
  bytes: Buffer = Buffer.alloc(0);
}

/** Of this owner reports fail. */
export const UNLUCKY = 'unlucky';
/** Reports of this owner say that they are this file. */
export const THIEF = 'thief';
export const STOLEN = parseStorageName('jobs/import.customers/secret/upload.csv');

@JobHandler(Report)
class ReportHandler implements Handles<typeof Report> {
  constructor(
    private readonly storage: Storage,
    private readonly content: Content,
  ) {}

  async handle({ jobId, payload: { report, format, user_id } }: JobContext<typeof Report>): Promise<object> {
    if (user_id === UNLUCKY) throw new PermanentError('The table is gone.');
    const name = await write(this.storage, this.content, jobId, `${report}.${format}`);
    return { file_key: user_id === THIEF ? STOLEN : name, rows: 2 };
  }
}

@JobHandler(Export)
class ExportHandler implements Handles<typeof Export> {
  constructor(
    private readonly storage: Storage,
    private readonly content: Content,
  ) {}

  async handle({ jobId, payload: { format } }: JobContext<typeof Export>): Promise<object> {
    return { file_key: await write(this.storage, this.content, jobId, `customers.${format}`), rows: 2 };
  }
}

async function write(storage: Storage, { bytes }: Content, jobId: string, file: string): Promise<StorageName> {
  const name = parseStorageName(`${jobFolder(jobId)}/${file}`);
  await storage.write(name, Readable.from([bytes], { objectMode: false }));
  return name;
}

export interface MadeDocument {
  readonly job_id: string;
  readonly result: { readonly file_key: StorageName; readonly url: string };
}

/** An api, and a worker whose reports and exports hold whatever a test wants them to. */
export interface DocumentStage {
  readonly api: TestApi;
  readonly files: TestStorage;
  /** The finished job of a report of these bytes. */
  made(bytes: Buffer, body?: object): Promise<MadeDocument>;
  close(): Promise<void>;
}

let owners = 0;

/** The body for a report that nobody has asked for yet. */
export function newReport(changes: object = {}) {
  owners += 1;
  return { report: 'orders', format: 'csv', user_id: `owner-${owners}`, ...changes };
}

/** @param options for the end of `STORAGE_URL`. */
export async function startDocumentStage(files: TestStorage, options = '', env: NodeJS.ProcessEnv = {}): Promise<DocumentStage> {
  const keyPrefix = newKeyPrefix();
  const content = new Content();
  const provided = [
    { provide: Storage, useValue: files.storage },
    { provide: Content, useValue: content },
  ];
  const api = await startTestApi({ KEY_PREFIX: keyPrefix, STORAGE_URL: `${files.url}${options}`, ...env });
  const worker = await startJobsApp([Report, Export], [ReportHandler, ExportHandler, ...provided], { keyPrefix });
  return {
    api,
    files,
    made: async (bytes, body = newReport()) => {
      content.bytes = bytes;
      const answer = await api.http.post('/reports').set('Prefer', 'wait=20').send(body);
      const job = answer.body as MadeDocument; // It is looked at here.
      expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' } });
      return job;
    },
    close: async () => {
      await Promise.all([api.close(), worker.close()]);
      await files.remove();
    },
  };
}
