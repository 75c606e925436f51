import { checkMessage } from '../definition/check-message.js';
import { NotStorableError } from '../definition/errors.js';
import { keptJson } from './kept-value.js';

const MAX_MESSAGE_CHARACTERS = 500;
const MAX_DATA_BYTES = 4_096;

/**
 * What is kept of a job's progress.
 * @throws {NotStorableError} when `percent` is no number from 0 to 100, `message` no string, or `data` cannot be kept
 */
export function progressJson(percent: number, message?: string, data?: unknown): string {
  if (typeof percent !== 'number' || !(percent >= 0 && percent <= 100)) {
    throw new NotStorableError([{ pointer: '/percent', detail: 'must be a number from 0 to 100' }]);
  }
  if (message !== undefined) checkMessage(message);
  const told = message === undefined ? null : Array.from(message.slice(0, 2 * MAX_MESSAGE_CHARACTERS).toWellFormed());
  const messageJson = JSON.stringify(told?.slice(0, MAX_MESSAGE_CHARACTERS).join('') ?? null);
  const dataJson = data === undefined ? 'null' : keptJson(data, MAX_DATA_BYTES);
  return `{"percent":${percent},"message":${messageJson},"data":${dataJson}}`;
}
