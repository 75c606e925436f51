import { monotonicFactory } from 'ulid';

/** A new ULID, greater than those before it of this process: rows of one moment are read in the order they were written in. */
export const newId: () => string = monotonicFactory();
