import { Injectable } from '@nestjs/common';
import {
  RangeNotSatisfiableError,
  Storage,
  StorageAwayError,
  StoredFileNotFoundError,
  attachment,
  type ByteRange,
  type OpenFile,
  type StorageName,
  type StoredFile,
} from '@antrean/platform';
import type { Request, Response } from 'express';
import { ProblemError } from '../http/problem-error.js';
import { sendStream } from '../http/send-stream.js';
import { askedRange } from './asked-range.js';
import { listsTag } from './entity-tags.js';

/** A signed address is made at each read: it has to be used soon, not to be kept. A download that has begun goes on. */
const SIGNED_SEC = 300;
const MOST_TRIES = 3;

/** A file to hand out, and what a browser saves it as. */
export interface FileToSend {
  readonly name: StorageName;
  readonly fileName: string;
}

/**
 * Hands out stored files over HTTP (RFC 9110): as they are, in parts, or not at all where the client has them already; where the storage
 * signs addresses it sends the client there. HEAD is always answered here: an address is signed for GET alone.
 */
@Injectable()
export class StoredFileAnswers {
  constructor(private readonly storage: Storage) {}

  /**
   * Resolves when the answer is sent.
   * @throws {StoredFileNotFoundError}
   * @throws {ProblemError} `precondition_failed`, `range_not_satisfiable`
   * @throws {RequestAbortedError} when the client went away.
   */
  async send(file: FileToSend, request: Request, response: Response): Promise<void> {
    const { name, fileName } = file;
    const stored = await this.stat(name);
    const signed = { expiresSec: SIGNED_SEC, fileName };
    const address = request.method === 'HEAD' ? undefined : await this.storage.signedUrl(name, signed);
    if (address === undefined) await this.sendStored(stored, file, request, response);
    else response.status(303).set({ Location: address, 'Cache-Control': 'no-store' }).end();
  }

  private async sendStored(first: StoredFile, file: FileToSend, request: Request, response: Response): Promise<void> {
    let stored = first;
    for (let tries = 1; tries <= MOST_TRIES; tries += 1) {
      const head = headOf(stored, file.fileName);
      const part = partFor(request, stored, file.fileName);
      if (part === 'unchanged') {
        response.status(304).set({ ETag: stored.etag, 'Cache-Control': CACHING }).end();
        return;
      }
      if (request.method === 'HEAD') {
        response.status(200).set(head).end();
        return;
      }
      const open = await this.open(file.name, part);
      if (open?.etag === stored.etag) {
        await sendOpen(open, part, head, response);
        return;
      }
      // Written anew in between: what was decided about the old one does not hold for it.
      open?.body.destroy();
      stored = await this.stat(file.name);
    }
    throw new StorageAwayError(`${file.name} is another file each time it is looked at.`, undefined);
  }

  /** Undefined when it has become shorter than what is asked for. */
  private async open(name: StorageName, part: ByteRange | undefined): Promise<OpenFile | undefined> {
    try {
      return await this.storage.read(name, part && { range: part });
    } catch (error) {
      if (error instanceof RangeNotSatisfiableError) return undefined;
      throw error;
    }
  }

  private async stat(name: StorageName): Promise<StoredFile> {
    const stored = await this.storage.stat(name);
    if (stored === undefined) throw new StoredFileNotFoundError(name);
    return stored;
  }
}

/** To be kept by the client alone, which asks each time whether it is still the same. */
const CACHING = 'private, no-cache';

function headOf({ etag, size, contentType }: StoredFile, fileName: string): Readonly<Record<string, string>> {
  return {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': CACHING,
    'Content-Type': contentType,
    'Content-Disposition': attachment(fileName),
    'Content-Length': String(size),
  };
}

/** In the order of RFC 9110, 13.2.2; by the entity tag alone, as no date is told. Undefined: all of it. */
function partFor(
  { headers, method }: Request,
  { etag, size }: StoredFile,
  fileName: string,
): Required<ByteRange> | 'unchanged' | undefined {
  const { 'if-match': ifMatch, 'if-none-match': ifNoneMatch, 'if-range': ifRange } = headers;
  if (ifMatch !== undefined && !listsTag(ifMatch, etag, 'strong')) {
    throw new ProblemError('precondition_failed', 'The file is not, or no longer, the one that If-Match names. Read it anew.', {
      errors: [{ header: 'If-Match', detail: `does not have ${etag}` }],
    });
  }
  if (ifNoneMatch !== undefined && listsTag(ifNoneMatch, etag, 'weak')) return 'unchanged';
  if (method !== 'GET' || (ifRange !== undefined && ifRange !== etag)) return undefined;
  const range = askedRange(headers.range, size);
  if (range !== 'none') return range;
  throw new ProblemError('range_not_satisfiable', `${fileName} has ${size} bytes, and none of them is in the range.`, {
    errors: [{ header: 'Range', detail: `must begin before ${size}` }],
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

async function sendOpen(
  { body, size }: OpenFile,
  part: Required<ByteRange> | undefined,
  head: Readonly<Record<string, string>>,
  response: Response,
): Promise<void> {
  if (part === undefined) response.status(200).set(head);
  else {
    response.status(206).set(head);
    response.set({
      'Content-Length': String(part.end - part.start + 1),
      'Content-Range': `bytes ${part.start}-${part.end}/${size}`,
    });
  }
  await sendStream(body, response);
}
