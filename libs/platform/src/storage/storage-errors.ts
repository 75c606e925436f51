/** Base of all that a storage throws, but for an abort and for what a source throws. `code` is stable; messages hold no secret. */
export abstract class StorageError extends Error {
  abstract readonly code: string;

  override get name(): string {
    return this.constructor.name;
  }
}

/** Tried again later, the same call may work. */
export abstract class PassingStorageError extends StorageError {}

/** Tried again, the same call fails again, until somebody changes the call or the file. */
export abstract class LastingStorageError extends StorageError {}

/** The storage does not answer, or breaks off. Of a write it is not known whether the file is there; if it is, it is whole. */
export class StorageAwayError extends PassingStorageError {
  readonly code = 'storage_away';

  constructor(what: string, cause: unknown) {
    super(`The storage is away: ${what}`, { cause });
  }
}

/** Nothing more fits in. */
export class StorageFullError extends PassingStorageError {
  readonly code = 'storage_full';

  constructor(what: string, cause: unknown) {
    super(`The storage is full: ${what}`, { cause });
  }
}

/** The storage is set up wrongly: it cannot be used by this process until somebody mends that. The message says what to do. */
export class UnfitStorageError extends PassingStorageError {
  readonly code = 'storage_unfit';

  constructor(what: string, cause: unknown) {
    super(`The storage cannot be used: ${what}`, { cause });
  }
}

/** The storage takes no such file. The message says why. */
export class StorageRefusedError extends LastingStorageError {
  readonly code = 'storage_refused';

  constructor(what: string, cause?: unknown) {
    super(`The storage refuses: ${what}`, { cause });
  }
}

/** There is no file of that name. */
export class StoredFileNotFoundError extends LastingStorageError {
  readonly code = 'file_not_found';

  constructor(readonly file: string) {
    super(`There is no file ${file} in the storage: it never was, or was deleted.`);
  }
}

/** The file has no byte of the range that was asked for. */
export class RangeNotSatisfiableError extends LastingStorageError {
  readonly code = 'range_not_satisfiable';

  constructor(
    readonly file: string,
    /** Bytes of the whole file. */
    readonly size: number,
  ) {
    super(`${file} has ${size} bytes, and none of them is in the range that was asked for.`);
  }
}

/** The text is no name of a file or folder in the storage. */
export class StorageNameError extends LastingStorageError {
  readonly code = 'invalid_storage_name';
}
