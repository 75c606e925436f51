import { createHash } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ImportCustomers } from '@antrean/catalog';
import { jobFolder, newJobId } from '@antrean/jobs';
import { parseStorageName, type Storage, type StorageName } from '@antrean/platform';
import type { Request } from 'express';
import type { StorageEngine } from 'multer';

/** A file that a form brought and that lies in the storage now, in the folder of the job that it is for. */
export interface Upload {
  /** The id that the job is to have. */
  readonly jobId: string;
  readonly name: StorageName;
  /** Of its bytes, in hex. */
  readonly sha256: string;
}

/** Where the reader of forms puts a file: into the storage, as it arrives. */
export class StoredUploads implements StorageEngine {
  private readonly uploads = new WeakMap<Request, Upload>();

  constructor(private readonly storage: Storage) {}

  /** What the form of the request brought. */
  of(request: Request): Upload | undefined {
    return this.uploads.get(request);
  }

  _handleFile(request: Request, { stream }: { readonly stream: Readable }, done: (error: unknown, info?: object) => void): void {
    void this.store(stream).then((upload) => {
      this.uploads.set(request, upload);
      done(null, {});
    }, done);
  }

  /** Asked for when the form turns out to be broken behind the file. */
  _removeFile(request: Request, _file: unknown, done: (error: Error | null) => void): void {
    const upload = this.of(request);
    this.uploads.delete(request);
    const removed = upload === undefined ? Promise.resolve() : this.storage.delete(upload.name);
    void removed.then(() => {
      done(null);
    }, done);
  }

  private async store(stream: Readable): Promise<Upload> {
    const jobId = newJobId(ImportCustomers);
    const name = parseStorageName(`${jobFolder(jobId)}/upload.csv`);
    const hash = createHash('sha256');
    await this.storage.write(
      name,
      whole(stream, (chunk) => hash.update(chunk)),
    );
    return { jobId, name, sha256: hash.digest('hex') };
  }
}

async function* whole(stream: Readable & { readonly truncated?: boolean }, see: (chunk: Buffer) => void): AsyncGenerator<Buffer> {
  // The reader of forms gives bytes.
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    see(chunk);
    yield chunk;
  }
  // It ends a file at the limit as if that were all of it. What is thrown keeps it from being stored; the client hears of the limit.
  if (stream.truncated === true) throw new Error('The file is larger than the limit.');
}
