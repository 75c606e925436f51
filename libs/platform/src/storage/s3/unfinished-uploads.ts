import { AbortMultipartUploadCommand, ListMultipartUploadsCommand, type S3Client } from '@aws-sdk/client-s3';

/** The bucket's own rule (docs/storage.md) counts in days, too. */
const ABANDONED_MS = 86_400_000;
const SWEEP_EVERY_MS = 3_600_000;

/** Uploads in parts that were begun below a prefix: nobody sees them, and their parts take room. */
export class UnfinishedUploads {
  private sweptAtMs = -Infinity;

  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly prefix: string,
  ) {}

  /** Aborts what processes that died have left, at most once an hour; to be called whenever something is sent in parts. Never rejects. */
  async sweepNowAndThen(signal: AbortSignal): Promise<void> {
    if (performance.now() - this.sweptAtMs < SWEEP_EVERY_MS) return;
    this.sweptAtMs = performance.now();
    // Who may not list them, or a server that cannot, leaves it to the bucket's rule.
    await this.sweep(signal).catch(() => undefined);
  }

  private async sweep(abortSignal: AbortSignal): Promise<void> {
    const [Bucket, Prefix] = [this.bucket, this.prefix];
    let marker: { KeyMarker?: string | undefined; UploadIdMarker?: string | undefined } | undefined = {};
    while (marker !== undefined) {
      const command: ListMultipartUploadsCommand = new ListMultipartUploadsCommand({ Bucket, Prefix, ...marker });
      const page = await this.client.send(command, { abortSignal });
      for (const { Key, UploadId, Initiated } of page.Uploads ?? []) {
        if (Initiated === undefined || Date.now() - Initiated.getTime() < ABANDONED_MS) continue;
        await this.client.send(new AbortMultipartUploadCommand({ Bucket, Key, UploadId }), { abortSignal });
      }
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      marker = IsTruncated === true && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined;
    }
  }
}
