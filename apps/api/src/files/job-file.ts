import { jobOfFile, type Job } from '@antrean/jobs';
import { parseStorageName } from '@antrean/platform';
import { isPlainObject } from '../http/body-rules.js';
import type { FileToSend } from './stored-file-answers.js';

/**
 * The file that a succeeded job names in its result (`file_key`). A browser saves it under its own name with the day it was made.
 * @throws {TypeError} when it names none, or one that is not in the job's own folder: nothing else of the storage is handed out.
 * @throws {StorageNameError} likewise.
 */
export function jobFile({ jobId, result, finishedAt }: Job): FileToSend {
  const key = isPlainObject(result) ? result['file_key'] : undefined;
  if (typeof key !== 'string' || jobOfFile(key) !== jobId)
    throw new TypeError(`The result of ${jobId} names no file in its own folder.`);
  const name = parseStorageName(key);
  const ownName = name.slice(name.lastIndexOf('/') + 1);
  return { name, fileName: dated(ownName, finishedAt) };
}

/** `orders.csv` as `orders-2026-01-31.csv`. */
function dated(fileName: string, day: Date | null): string {
  if (day === null) return fileName;
  return fileName.replace(/(?=\.[^.]*$|$)/, `-${day.toISOString().slice(0, 10)}`);
}
