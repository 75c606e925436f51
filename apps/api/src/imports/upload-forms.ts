import { Inject, Injectable } from '@nestjs/common';
import { Storage, StorageError, type ApiConfig, type Logger } from '@antrean/platform';
import type { Request, RequestHandler, Response } from 'express';
import multer from 'multer';
import { letUploadArrive } from '../http/body-arrival.js';
import { isPlainObject } from '../http/body-rules.js';
import { RequestAbortedError } from '../http/json-body/request-bytes.js';
import { API_CONFIG, API_LOG } from '../tokens.js';
import { FILE_FIELD, asRefusal, fileTooLarge, requireForm } from './form-faults.js';
import { StoredUploads, type Upload } from './stored-uploads.js';

/** A form as it was sent, its file in the storage already. */
export interface UploadForm {
  readonly fields: object;
  readonly upload: Upload;
}

/** Few and short: what is large is the file. */
const TEXT_LIMITS = { fields: 16, fieldSize: 4_096, fieldNameSize: 64, fieldNestingDepth: 0, parts: 32, headerPairs: 32 };
/** Room for everything in a form but the file. */
const ENVELOPE_BYTES = 131_072;

/** Reads forms with one file, which goes into the storage as it arrives and is never held in memory. */
@Injectable()
export class UploadForms {
  private readonly uploads: StoredUploads;
  private readonly read: RequestHandler;
  private readonly maxBytes: number;

  constructor(
    private readonly storage: Storage,
    @Inject(API_CONFIG) { maxUploadBytes }: ApiConfig,
    @Inject(API_LOG) private readonly log: Logger,
  ) {
    this.uploads = new StoredUploads(storage);
    this.maxBytes = maxUploadBytes;
    this.read = multer({ storage: this.uploads, limits: { ...TEXT_LIMITS, fileSize: maxUploadBytes } }).single(FILE_FIELD);
  }

  /**
   * The form of a request, its fields unchecked. When it throws, nothing of the file is left.
   * @throws {ProblemError} `unsupported_media_type`, `payload_too_large`, `invalid_request`
   * @throws {StorageError} when the storage does not take the file.
   * @throws {RequestAbortedError} when the client went away.
   */
  async receive(request: Request, response: Response): Promise<UploadForm> {
    requireForm(request.headers);
    if (Number(request.headers['content-length']) > this.maxBytes + ENVELOPE_BYTES) {
      // Read and thrown away, so that the client gets the answer instead of a broken connection.
      request.resume();
      throw fileTooLarge(this.maxBytes);
    }
    letUploadArrive(request);
    await new Promise<void>((resolve, reject) => {
      this.read(request, response, (fault: unknown) => {
        if (fault === undefined || fault === null) resolve();
        else reject(this.why(fault, request));
      });
    });
    const upload = this.uploads.of(request);
    if (upload === undefined) throw asRefusal(undefined, this.maxBytes);
    const fields: unknown = request.body;
    return { fields: isPlainObject(fields) ? fields : {}, upload };
  }

  /** Deletes a file that no job is there for. Never rejects: what stays is waste and no more. */
  async discard({ jobId, name }: Upload): Promise<void> {
    try {
      await this.storage.delete(name);
    } catch (err) {
      this.log.warn({ err, job_id: jobId, file: name }, 'uploaded file could not be deleted');
    }
  }

  private why(fault: unknown, request: Request): Error {
    if (fault instanceof StorageError) return fault;
    if (request.destroyed && !request.complete) return new RequestAbortedError({ cause: fault });
    return asRefusal(fault, this.maxBytes);
  }
}
