import { StorageNameError } from './storage-errors.js';

declare const parsed: unique symbol;

/** The name of a file or folder in the storage, such as `reports/01k4/report.csv`. Only {@link parseStorageName} makes one. */
export type StorageName = string & { readonly [parsed]: true };

const LONGEST_NAME = 512;
const LONGEST_SEGMENT = 128;
const LONGEST_SHOWN = 80;

/**
 * Letters and digits at both ends leave out `.`, `..`, hidden names and trailing dots. Without upper case no two names are one file
 * on a disk that does not tell cases apart.
 */
const SEGMENT = /^[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?$/;
/** What Windows takes for a device, with any ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/;

/**
 * Reads a name: segments joined by `/`, each of 1 to 128 lower-case letters, digits, `.`, `_` and `-`, with a letter or digit at
 * both ends; 512 characters at most. Such a name stays below the root of any storage.
 * @throws {StorageNameError}
 */
export function parseStorageName(text: string): StorageName {
  const fault = text.length > LONGEST_NAME ? `longer than ${LONGEST_NAME} characters` : faultIn(text.split('/'));
  if (fault !== undefined) throw new StorageNameError(`${shown(text)} is no name of a file: ${fault}.`);
  // It was checked.
  return text as StorageName;
}

/** Whether this may stand between two slashes of a name. */
export function isStorageSegment(text: string): boolean {
  return text.length <= LONGEST_SEGMENT && SEGMENT.test(text) && !DEVICE.test(text);
}

/** For names that others chose, which need not be any of ours. */
export function asStorageName(text: string): StorageName | undefined {
  // It was checked.
  return text.length <= LONGEST_NAME && text.split('/').every(isStorageSegment) ? (text as StorageName) : undefined;
}

function faultIn(segments: readonly string[]): string | undefined {
  const stray = segments.find((segment) => !isStorageSegment(segment));
  if (stray === undefined) return undefined;
  if (DEVICE.test(stray)) return `${shown(stray)} is a device on Windows`;
  return (
    `each part between slashes has 1 to ${LONGEST_SEGMENT} lower-case letters, digits, ".", "_" and "-", ` +
    `with a letter or digit at both ends, found ${shown(stray)}`
  );
}

function shown(text: string): string {
  return JSON.stringify(text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN)}…` : text);
}
