import { ImportCustomers } from '@antrean/catalog';
import { JobHandler, PermanentError, type Handles, type JobContext } from '@antrean/jobs';
import {
  RangeNotSatisfiableError,
  Storage,
  StorageNameError,
  StoredFileNotFoundError,
  parseStorageName,
  type StorageName,
  type StoredFile,
} from '@antrean/platform';
import { Customers, Database, Imports, type ImportState } from '@antrean/shop';
import { inTrouble } from '../../outages/in-trouble.js';
import { chunksOf, type Chunk } from './chunk.js';
import type { CsvPlace } from './csv/csv-place.js';
import { readCustomerCsv } from './csv/customer-csv.js';

type Context = JobContext<typeof ImportCustomers>;

/** A job that gets on is no poison: as often as this its crashes in a row begin anew. More than ten in all bury it all the same. */
const CHUNKS_PER_CHECKPOINT = 10;

/** In rows of the file, blank ones left out. */
interface ImportResult {
  readonly read: number;
  readonly imported: number;
  readonly updated: number;
  readonly rejected: number;
}

/** Each chunk of rows is written in one transaction with the place after it, from which the next run goes on. */
@JobHandler(ImportCustomers)
export class ImportCustomersHandler implements Handles<typeof ImportCustomers> {
  constructor(
    private readonly storage: Storage,
    private readonly database: Database,
    private readonly customers: Customers,
    private readonly imports: Imports,
  ) {}

  handle(context: Context): Promise<ImportResult> {
    return this.import(context).catch(inTrouble(context));
  }

  private async import(context: Context): Promise<ImportResult> {
    const { jobId, payload, signal, checkpoint } = context;
    const file = await this.find(payload.file_key);
    let state = await this.imports.open({ jobId, fileTag: file.etag, bytesTotal: file.size });
    if (state.fileTag !== file.etag) throw changed(file);
    let chunks = 0;
    for await (const chunk of this.rest(file, state, context)) {
      signal.throwIfAborted();
      state = await this.write(state, chunk);
      tell(state, context);
      chunks += 1;
      if (chunks % CHUNKS_PER_CHECKPOINT === 0) await checkpoint.save({ read: state.read });
    }
    return resultOf(await this.imports.finish(state));
  }

  private async find(key: string): Promise<StoredFile> {
    const file = await this.storage.stat(nameOf(key));
    if (file !== undefined) return file;
    throw gone(key);
  }

  private async *rest(file: StoredFile, { place, finishedAt }: ImportState, { payload, signal }: Context): AsyncGenerator<Chunk> {
    // Written by this handler and nobody else.
    const at = place as CsvPlace | undefined;
    const start = at?.offset ?? 0;
    if (finishedAt !== null || (at !== undefined && start >= file.size)) return;
    const read = this.storage.read(file.name, { signal, ...(start > 0 && { range: { start } }) });
    const { body, etag } = await read.catch((error: unknown) => {
      // Since it was found.
      if (error instanceof StoredFileNotFoundError) throw gone(file.name);
      throw error instanceof RangeNotSatisfiableError ? changed(file) : error;
    });
    if (etag !== file.etag) {
      body.destroy();
      throw changed(file);
    }
    yield* chunksOf(readCustomerCsv(body, at ?? (payload.charset === undefined ? {} : { charset: payload.charset })));
  }

  private write(state: ImportState, { customers, rejects, next }: Chunk): Promise<ImportState> {
    return this.database.transaction(async (transaction) => {
      const { inserted: imported, updated } = await this.customers.upsert(transaction, customers);
      return this.imports.advance(transaction, state, { bytesRead: next.offset, place: next, imported, updated, rejects });
    });
  }
}

function nameOf(key: string): StorageName {
  try {
    return parseStorageName(key);
  } catch (error) {
    if (!(error instanceof StorageNameError)) throw error;
    throw new PermanentError(error.message, { code: error.code, cause: error });
  }
}

function gone(key: string): PermanentError {
  return new PermanentError(`There is no file ${key} in the storage: it never was, or was deleted.`, {
    code: 'import_file_gone',
  });
}

function changed({ name }: StoredFile): PermanentError {
  return new PermanentError(`The file ${name} was replaced while it was imported. Import it again, as a job of its own.`, {
    code: 'import_file_changed',
  });
}

function tell(state: ImportState, { progress }: Context): void {
  const { bytesRead, bytesTotal, read, rejected } = state;
  progress((100 * bytesRead) / Math.max(bytesTotal, 1), `${read} rows read, ${rejected} of them rejected`, resultOf(state));
}

function resultOf({ read, imported, updated, rejected }: ImportState): ImportResult {
  return { read, imported, updated, rejected };
}
