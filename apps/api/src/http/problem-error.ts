import type { ProblemCode } from './problem-codes.js';

/** One fault of a request: where it is and what to do about it. The place is one of the three, or none for the whole. */
export interface Fault {
  readonly detail: string;
  /** JSON pointer into the body as a URI fragment: `#/options/priority`. */
  readonly pointer?: string;
  /** Name of a query parameter. */
  readonly parameter?: string;
  /** Name of a header. */
  readonly header?: string;
}

interface ProblemParts {
  readonly errors?: readonly Fault[];
  /** Sent with the answer. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Members beyond those every problem has. */
  readonly members?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** A request that the api itself refuses. The filter turns it into an `application/problem+json` answer. */
export class ProblemError extends Error {
  override readonly name = 'ProblemError';
  readonly errors: readonly Fault[];
  readonly headers: Readonly<Record<string, string>>;
  readonly members: Readonly<Record<string, unknown>>;

  /** @param detail what is wrong and what to do, for people. */
  constructor(
    readonly code: ProblemCode,
    detail: string,
    { errors = [], headers = {}, members = {}, cause }: ProblemParts = {},
  ) {
    super(detail, cause === undefined ? undefined : { cause });
    this.errors = errors;
    this.headers = headers;
    this.members = members;
  }
}
