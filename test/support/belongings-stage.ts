import { ImportCustomers, ReportGenerate } from '@antrean/catalog';
import { newJobId, type EnqueuedJob } from '@antrean/jobs';
import { setClockOffset } from '@antrean/jobs/testing';
import { parseStorageName, type Logger, type Storage } from '@antrean/platform';
import { Imports, type Database } from '@antrean/shop';
import { StoredBelongings } from '../../apps/worker/src/belongings/stored-belongings.js';
import { BelongingsSweeper } from '../../libs/jobs/src/belongings/belongings-sweeper.js';
import { startJobsApp, type JobsApp } from './jobs-app.js';
import { silentLogger } from './shared-redis.js';

/** Imports with their files and rows, and sweepers that look when they are told to. */
export class BelongingsStage {
  readonly imports: Imports;
  /** What the sweepers have counted. */
  swept = 0;

  private constructor(
    readonly storage: Storage,
    readonly database: Database,
    readonly jobs: JobsApp,
  ) {
    this.imports = new Imports(database);
  }

  static async open(storage: Storage, database: Database): Promise<BelongingsStage> {
    return new BelongingsStage(storage, database, await startJobsApp([ImportCustomers], [], { types: ['!*'] }));
  }

  sweeper(belongings = new StoredBelongings(this.storage, this.imports), logger: Logger = silentLogger): BelongingsSweeper {
    const metrics = { swept: { inc: (by: number) => (this.swept += by) } };
    // Nothing else of the counter is used.
    return new BelongingsSweeper(belongings, this.jobs.link, metrics as never, { logger });
  }

  /** Lets so many minutes pass by Redis' clock, counted from now. */
  async after(minutes: number): Promise<void> {
    const { redis, keyPrefix } = this.jobs.link;
    for (const type of [ImportCustomers.type, ReportGenerate.type, 'SWEEPS'])
      await setClockOffset(redis, keyPrefix, type, minutes * 60_000);
  }

  /** Two looks, from the minute on, as far apart as they are in a worker. */
  async sweepAt(minutes: number, sweeper = this.sweeper()): Promise<void> {
    await this.after(minutes);
    await sweeper.tick();
    await this.after(minutes + 11);
    await sweeper.tick();
  }

  /** Stores what an upload and its import store. */
  async upload(jobId = newJobId(ImportCustomers)): Promise<string> {
    const file = uploadOf(jobId);
    await this.storage.write(file, bytes());
    await this.imports.open({ jobId, fileTag: '"1"', bytesTotal: 1 });
    return jobId;
  }

  submit(jobId: string): Promise<EnqueuedJob> {
    return this.jobs.queue.enqueue(ImportCustomers, { file_key: uploadOf(jobId), user_id: 'ana' }, { jobId });
  }

  /** What is there of a job. */
  async has(jobId: string): Promise<{ readonly file: boolean; readonly row: boolean }> {
    const [file, row] = await Promise.all([this.storage.stat(uploadOf(jobId)), this.imports.get(jobId)]);
    return { file: file !== undefined, row: row !== undefined };
  }

  close(): Promise<void> {
    return this.jobs.close();
  }
}

export const BOTH = { file: true, row: true };
export const NOTHING = { file: false, row: false };

function uploadOf(jobId: string) {
  const ulid = jobId.slice(jobId.lastIndexOf('_') + 1).toLowerCase();
  return parseStorageName(`jobs/${ImportCustomers.type}/${ulid}/upload.csv`);
}

async function* bytes(): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from('.'));
}
