import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { ByteRange } from '../byte-range.js';
import { contentTypeOf } from '../content-type.js';
import type { StorageName } from '../storage-name.js';
import type { StoredFile } from '../storage.js';
import { wholeBody } from '../whole-body.js';
import { folderError } from './folder-errors.js';

/** Less than what is written at once: what is read waits for who takes it, and the longer it does, the later it is collected. */
const READ_BYTES = 65_536;

/** What the file system says of a file, as the storage tells of it. */
export function storedFile(name: StorageName, { size, mtimeNs, ino }: BigIntStats): StoredFile {
  return {
    name,
    size: Number(size),
    // Every write makes another file of it.
    etag: `"${[size, mtimeNs, ino].map((part) => part.toString(36)).join('-')}"`,
    contentType: contentTypeOf(name),
  };
}

/** The bytes of a file in a range; of no bytes where there is none. It closes the file in the end. */
export function bodyOf(
  handle: FileHandle,
  range: Required<ByteRange> | undefined,
  signal: AbortSignal | undefined,
  name: string,
): Readable {
  // A stream of no bytes cannot be told to Node.
  const { start, end } = range ?? { start: 0, end: 0 };
  const origin = handle.createReadStream({ start, end, highWaterMark: READ_BYTES });
  const expected = range === undefined ? 0 : end - start + 1;
  return wholeBody(origin, { expected, fault: (cause) => folderError(cause, name), signal });
}
