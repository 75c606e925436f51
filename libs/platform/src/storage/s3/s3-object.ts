import type { GetObjectCommandOutput, HeadObjectCommandOutput } from '@aws-sdk/client-s3';
import { contentTypeOf } from '../content-type.js';
import type { StorageName } from '../storage-name.js';
import type { StoredFile } from '../storage.js';

/** What S3 says of an object, as the storage tells of a file. @param size of the whole object, in bytes. */
export function storedFile(name: StorageName, { ETag = '' }: HeadObjectCommandOutput, size: number): StoredFile {
  return { name, size, etag: ETag, contentType: contentTypeOf(name) };
}

/** Of the whole object, also where a part of it was asked for: `bytes 0-9/100`. */
export function sizeIn({ ContentRange, ContentLength = 0 }: GetObjectCommandOutput): number {
  return ContentRange === undefined ? ContentLength : Number(ContentRange.slice(ContentRange.lastIndexOf('/') + 1));
}
