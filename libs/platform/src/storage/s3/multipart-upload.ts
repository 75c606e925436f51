import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  UploadPartCommand,
  type CompletedPart,
  type S3Client,
} from '@aws-sdk/client-s3';
import { LARGEST_OBJECT_BYTES, MOST_PARTS } from '../object-parts.js';
import { StorageRefusedError } from '../storage-errors.js';
import { PATIENT } from './connect-s3.js';
import { s3Error } from './s3-errors.js';

/** Where an object goes, as commands name it. */
export interface Target {
  readonly Bucket: string;
  readonly Key: string;
}

/** An object that is sent in parts and is there once all of them are. Throws errors of the storage. */
export class MultipartUpload {
  private readonly parts: CompletedPart[] = [];
  private sending: Promise<void> = Promise.resolve();

  private constructor(
    private readonly client: S3Client,
    private readonly target: Target & { readonly UploadId: string | undefined },
    private readonly stop: AbortController,
  ) {}

  /** @param stop ends what is under way; aborted by this, with the error, when a part cannot be sent. */
  static async begin(client: S3Client, target: Target, contentType: string, stop: AbortController): Promise<MultipartUpload> {
    const command = new CreateMultipartUploadCommand({ ...target, ContentType: contentType });
    const { UploadId } = await answered(client.send(command, { abortSignal: stop.signal }), target);
    return new MultipartUpload(client, { ...target, UploadId }, stop);
  }

  /** Begins to send a part, once the one before is there. */
  async add(block: Buffer): Promise<void> {
    await this.sending;
    const PartNumber = this.parts.length + 1;
    if (PartNumber > MOST_PARTS) {
      throw new StorageRefusedError(`a file of more than ${LARGEST_OBJECT_BYTES} bytes cannot be written.`);
    }
    this.sending = this.send(PartNumber, block);
    // Who waits for the source is told as well.
    this.sending.catch((error: unknown) => {
      this.stop.abort(error);
    });
  }

  /** Makes the object of its parts; from here on nothing is aborted. */
  async complete(): Promise<void> {
    await this.sending;
    this.stop.signal.throwIfAborted();
    const command = new CompleteMultipartUploadCommand({ ...this.target, MultipartUpload: { Parts: this.parts } });
    await answered(this.client.send(command, PATIENT), this.target);
  }

  /** Frees what the parts take. When that fails too, the bucket's own rule does it (docs/storage.md). Never rejects. */
  async abort(): Promise<void> {
    this.stop.abort();
    // One that is still under way could come in after the abort.
    await this.sending.catch(() => undefined);
    await this.client.send(new AbortMultipartUploadCommand(this.target)).catch(() => undefined);
  }

  private async send(PartNumber: number, block: Buffer): Promise<void> {
    const command = new UploadPartCommand({ ...this.target, PartNumber, Body: block });
    const { ETag } = await answered(this.client.send(command, { ...PATIENT, abortSignal: this.stop.signal }), this.target);
    this.parts.push({ PartNumber, ETag });
  }
}

async function answered<T>(answer: Promise<T>, { Bucket }: Target): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw s3Error(error, Bucket);
  }
}
