import type { Readable } from 'node:stream';
import {
  DeleteObjectCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type GetObjectCommandOutput,
  type _Object,
  type S3Client,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { attachment } from '../attachment.js';
import { demandRange, rangeWithin, type ByteRange } from '../byte-range.js';
import { contentTypeOf } from '../content-type.js';
import { blocksOf } from '../source-blocks.js';
import { PART_BYTES } from '../object-parts.js';
import { RangeNotSatisfiableError, StoredFileNotFoundError } from '../storage-errors.js';
import { asStorageName, type StorageName } from '../storage-name.js';
import type { S3Target } from '../storage-url.js';
import { Storage, type OpenFile, type SignedUrlOptions, type StoredFile, type WrittenFile } from '../storage.js';
import { wholeBody } from '../whole-body.js';
import { PATIENT, connectS3 } from './connect-s3.js';
import { MultipartUpload, type Target } from './multipart-upload.js';
import { s3Error, saysAbsent, saysOutOfRange } from './s3-errors.js';
import { objectPages } from './object-pages.js';
import { sizeIn, storedFile } from './s3-object.js';
import { stoppable } from './stoppable.js';
import { UnfinishedUploads } from './unfinished-uploads.js';

const DELETES_AT_ONCE = 16;
/** The limit of S3. */
const LONGEST_SIGNED_SEC = 604_800;
/** No name of ours begins so. */
const CHECK_NAME = '.check';

/** Objects of a bucket, in S3 or a server that speaks it. */
export class S3Storage extends Storage {
  private readonly client: S3Client;
  private readonly bucket: string;
  private readonly prefix: string;
  private readonly unfinished: UnfinishedUploads;

  constructor(private readonly target: S3Target) {
    super();
    this.client = connectS3(target);
    this.bucket = target.bucket;
    this.prefix = target.prefix === '' ? '' : `${target.prefix}/`;
    this.unfinished = new UnfinishedUploads(this.client, this.bucket, this.prefix);
  }

  override async write(
    name: StorageName,
    source: AsyncIterable<Uint8Array>,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<WrittenFile> {
    return stoppable(signal, async (stop) => {
      const blocks = blocksOf(source, PART_BYTES, stop.signal);
      try {
        return await this.send(name, blocks, stop);
      } finally {
        await blocks.return(undefined);
      }
    });
  }

  override async read(
    name: StorageName,
    { range, signal }: { readonly range?: ByteRange; readonly signal?: AbortSignal } = {},
  ): Promise<OpenFile> {
    signal?.throwIfAborted();
    if (range !== undefined) demandRange(range);
    const answer = await this.get(name, range, signal);
    const file = storedFile(name, answer, sizeIn(answer));
    const given = rangeWithin(range ?? { start: 0 }, file.size);
    const origin = answer.Body as Readable; // On Node the client gives no other kind of stream, and always one.
    if (range !== undefined && given === undefined) {
      // Some servers give all of an empty file for any range.
      origin.destroy();
      throw new RangeNotSatisfiableError(name, file.size);
    }
    const expected = given === undefined ? 0 : given.end - given.start + 1;
    const body = wholeBody(origin, { expected, fault: (cause) => s3Error(cause, this.bucket), signal });
    return { ...file, body };
  }

  override async stat(name: StorageName): Promise<StoredFile | undefined> {
    try {
      const answer = await this.client.send(new HeadObjectCommand(this.at(name)));
      return storedFile(name, answer, answer.ContentLength ?? 0);
    } catch (error) {
      if (!saysAbsent(error)) throw s3Error(error, this.bucket);
      // It says the same of a bucket that is not there.
      await this.answered(this.client.send(new HeadBucketCommand({ Bucket: this.bucket })));
      return undefined;
    }
  }

  override async delete(name: StorageName): Promise<void> {
    await this.answered(this.client.send(new DeleteObjectCommand(this.at(name))));
  }

  /** One by one: not all servers take a list of them. */
  override async deleteFolder(folder: StorageName): Promise<boolean> {
    let any = false;
    for await (const keys of this.pages(folder)) {
      any ||= keys.length > 0;
      for (let start = 0; start < keys.length; start += DELETES_AT_ONCE) {
        const some = keys.slice(start, start + DELETES_AT_ONCE);
        const deletes = some.map(({ Key }) => this.client.send(new DeleteObjectCommand({ Bucket: this.bucket, Key })));
        await this.answered(Promise.all(deletes));
      }
    }
    return any;
  }

  override async *list(folder?: StorageName): AsyncIterable<StorageName> {
    for await (const page of this.pages(folder)) {
      for (const { Key = '' } of page) {
        const name = asStorageName(Key.slice(this.prefix.length));
        // What others put there has any name.
        if (name !== undefined) yield name;
      }
    }
  }

  override async signedUrl(name: StorageName, { expiresSec, fileName }: SignedUrlOptions): Promise<string | undefined> {
    if (!this.target.signedUrls) return undefined;
    if (!Number.isInteger(expiresSec) || expiresSec < 1 || expiresSec > LONGEST_SIGNED_SEC) {
      throw new RangeError(`A signed address is valid for 1 to ${LONGEST_SIGNED_SEC} seconds, found ${expiresSec}.`);
    }
    const disposition = fileName === undefined ? {} : { ResponseContentDisposition: attachment(fileName) };
    const command = new GetObjectCommand({ ...this.at(name), ...disposition });
    return this.answered(getSignedUrl(this.client, command, { expiresIn: expiresSec }));
  }

  /** Begins to write and leaves it: no object, and no version of one, stays behind. */
  override async check(signal: AbortSignal): Promise<void> {
    await stoppable(signal, async (stop) => {
      await (await MultipartUpload.begin(this.client, this.at(CHECK_NAME), 'text/plain', stop)).abort();
    });
  }

  private async send(name: StorageName, blocks: AsyncGenerator<Buffer>, stop: AbortController): Promise<WrittenFile> {
    const target = this.at(name);
    const ContentType = contentTypeOf(name);
    const first = await blocks.next();
    if (first.done === true || first.value.length < PART_BYTES) {
      const Body: Buffer = first.done === true ? Buffer.alloc(0) : first.value;
      const command = new PutObjectCommand({ ...target, ContentType, Body });
      await this.answered(this.client.send(command, { ...PATIENT, abortSignal: stop.signal }));
      return { size: Body.length };
    }
    await this.unfinished.sweepNowAndThen(stop.signal);
    const upload = await MultipartUpload.begin(this.client, target, ContentType, stop);
    try {
      let size = 0;
      for (let next: IteratorResult<Buffer> = first; next.done !== true; next = await blocks.next()) {
        await upload.add(next.value);
        size += next.value.length;
      }
      await upload.complete();
      return { size };
    } catch (error) {
      await upload.abort();
      throw error;
    }
  }

  private async get(
    name: StorageName,
    range: ByteRange | undefined,
    signal: AbortSignal | undefined,
  ): Promise<GetObjectCommandOutput> {
    const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
    try {
      return await this.client.send(new GetObjectCommand({ ...this.at(name), Range }), {
        ...(signal && { abortSignal: signal }),
      });
    } catch (error) {
      signal?.throwIfAborted();
      const size = saysOutOfRange(error) ? (await this.stat(name))?.size : undefined;
      if (size !== undefined) throw new RangeNotSatisfiableError(name, size);
      throw saysAbsent(error) || saysOutOfRange(error) ? new StoredFileNotFoundError(name) : s3Error(error, this.bucket);
    }
  }

  private pages(folder: StorageName | undefined): AsyncGenerator<readonly _Object[]> {
    return objectPages(this.client, this.bucket, folder === undefined ? this.prefix : `${this.prefix}${folder}/`);
  }

  private at(name: string): Target {
    return { Bucket: this.bucket, Key: `${this.prefix}${name}` };
  }

  private async answered<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw s3Error(error, this.bucket);
    }
  }
}
