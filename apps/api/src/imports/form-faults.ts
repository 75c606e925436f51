import type { IncomingHttpHeaders } from 'node:http';
import multer from 'multer';
import { invalidFields } from '../http/body-faults.js';
import { toPointer } from '../http/json-pointer.js';
import { mediaTypeOf } from '../http/media-type.js';
import { ProblemError } from '../http/problem-error.js';
import { refuseCompressed } from '../http/refuse-compressed.js';

/** The field that the file stands in. */
export const FILE_FIELD = 'file';

const FORM = 'multipart/form-data';
const JSON_BODY = 'application/json';

/** @throws {ProblemError} `unsupported_media_type` */
export function requireForm(headers: IncomingHttpHeaders): void {
  refuseCompressed(headers);
  if (mediaTypeOf(headers) === FORM) return;
  const detail = `Send the file as Content-Type: ${FORM}, in the field "${FILE_FIELD}", or name one in the storage as ${JSON_BODY}.`;
  throw new ProblemError('unsupported_media_type', detail, {
    errors: [{ header: 'Content-Type', detail: `must be ${FORM} or ${JSON_BODY}` }],
    headers: { Accept: `${FORM}, ${JSON_BODY}` },
  });
}

/**
 * Why a form is not taken.
 * @param fault what its reader threw; undefined when it read all of it and found no file.
 */
export function asRefusal(fault: unknown, maxBytes: number): ProblemError {
  if (fault === undefined)
    return refused(FILE_FIELD, `must hold a file: send one, with a file name, in the field "${FILE_FIELD}"`);
  if (!(fault instanceof multer.MulterError)) return broken(fault);
  const { code, field, message } = fault;
  if (code === 'LIMIT_FILE_SIZE') return fileTooLarge(maxBytes);
  if (code !== 'LIMIT_UNEXPECTED_FILE') return refused(field, `${message}: send the fields that are known here, in few words`);
  const isSecond = field === FILE_FIELD;
  return refused(field, isSecond ? 'stands there twice, send one file' : `takes no file, send it in the field "${FILE_FIELD}"`);
}

export function fileTooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The file has more than ${maxBytes} bytes. Send it in parts, each with the header.`,
    {
      errors: [{ pointer: toPointer([FILE_FIELD]), detail: `must have at most ${maxBytes} bytes` }],
    },
  );
}

function refused(field: string | undefined, detail: string): ProblemError {
  return invalidFields([{ pointer: toPointer(field === undefined ? [] : [field]), detail }]);
}

/** What the reader says of it is of no use to a client; the log has it as the cause. */
function broken(cause: unknown): ProblemError {
  const detail = `The body is no whole ${FORM}: its boundary is missing, a part is broken, or it was cut off. Send it again.`;
  return new ProblemError('invalid_request', detail, { errors: [{ pointer: '#', detail: `must be a whole ${FORM}` }], cause });
}
