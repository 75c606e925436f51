import type { Readable } from 'node:stream';
import type { ByteRange } from './byte-range.js';
import type { StorageName } from './storage-name.js';

/** A file as it lies in the storage. */
export interface StoredFile {
  readonly name: StorageName;
  /** In bytes. */
  readonly size: number;
  /** A strong entity tag with its quotes, as HTTP wants it: another one whenever other bytes were written; of the same bytes it may stay. */
  readonly etag: string;
  /** By the ending of the name, such as `text/csv; charset=utf-8`. */
  readonly contentType: string;
}

/** A file that is being read. `size` is that of the whole file. */
export interface OpenFile extends StoredFile {
  /** The bytes asked for. It ends only after the last of them, else it is destroyed with a {@link StorageError}. Read or destroy it. */
  readonly body: Readable;
}

export interface WrittenFile {
  /** In bytes. */
  readonly size: number;
}

export interface SignedUrlOptions {
  /** From now on, 1 to 604,800 (seven days). */
  readonly expiresSec: number;
  /** What a browser saves it as. */
  readonly fileName?: string;
}

/**
 * Where reports, exports and uploads lie: named files, whole or not there. A name stands for a file or for a folder, never for both.
 * Names are the callers' own: a storage does not know whose file it is. Bytes are streamed, however large a file is.
 *
 * All may throw {@link StorageAwayError}, {@link StorageFullError} and {@link UnfitStorageError}, which pass, and
 * {@link StorageRefusedError}, which does not.
 */
export abstract class Storage {
  /**
   * Writes a file, or replaces it. Until the last byte is safe, everybody reads what was there before, and for good when the source
   * throws, the signal fires or the process dies; of writers at the same time one stays. What the source throws is thrown on as it
   * is, and so is the signal's reason.
   * @param source such as a stream. Its chunks may be of any size, and may be used again by it once it is asked for the next.
   */
  abstract write(
    name: StorageName,
    source: AsyncIterable<Uint8Array>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<WrittenFile>;

  /**
   * Opens a file. Whoever replaces or deletes it meanwhile does not change what is read.
   * @param options.signal destroys the body when it fires.
   * @throws {StoredFileNotFoundError}
   * @throws {RangeNotSatisfiableError} when the range begins behind the last byte.
   */
  abstract read(name: StorageName, options?: { readonly range?: ByteRange; readonly signal?: AbortSignal }): Promise<OpenFile>;

  /** Undefined when there is no such file. */
  abstract stat(name: StorageName): Promise<StoredFile | undefined>;

  /** A file that is not there is deleted already. */
  abstract delete(name: StorageName): Promise<void>;

  /** Deletes all files whose names begin with the folder's and a slash. Answers whether there were any. */
  abstract deleteFolder(folder: StorageName): Promise<boolean>;

  /** The names of the files below a folder, at any depth and in any order; without one, of all files. What comes or goes meanwhile may be among them or not. */
  abstract list(folder?: StorageName): AsyncIterable<StorageName>;

  /**
   * An address under which anybody may read the file for a while, without asking us; undefined where the storage gives none: then
   * read it for them. Whether there is such a file is not looked at.
   */
  abstract signedUrl(name: StorageName, options: SignedUrlOptions): Promise<string | undefined>;

  /** Resolves when files could be written now; leaves none behind. */
  abstract check(signal: AbortSignal): Promise<void>;
}
