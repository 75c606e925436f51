import { Transform, finished, type Readable, type TransformCallback } from 'node:stream';

interface WholeBodyOptions {
  /** Bytes that the origin must give, no more and no less. */
  readonly expected: number;
  /** What an error of the origin means; undefined: it ended early without one. */
  readonly fault: (cause: unknown) => Error;
  /** Destroys the stream with its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** The bytes of a stream, which ends only when all that were expected came. Destroyed, it destroys the stream it comes from. */
export function wholeBody(origin: Readable, { expected, fault, signal }: WholeBodyOptions): Readable {
  const body = new Counted(expected, fault);
  const abort = (): void => {
    body.destroy(signal?.reason as Error); // Passed on as it is.
  };
  signal?.addEventListener('abort', abort, { once: true });
  finished(origin, { writable: false }, (error) => {
    if (error) body.destroy(fault(error));
  });
  finished(body, () => {
    signal?.removeEventListener('abort', abort);
    origin.destroy();
  });
  // Who has not begun to read yet learns of an error then; it must not end the process.
  body.on('error', () => undefined);
  if (signal?.aborted === true) abort();
  return origin.pipe(body);
}

class Counted extends Transform {
  private missing: number;

  constructor(
    expected: number,
    private readonly fault: (cause: unknown) => Error,
  ) {
    super();
    this.missing = expected;
  }

  override _transform(chunk: Uint8Array, _encoding: BufferEncoding, done: TransformCallback): void {
    this.missing -= chunk.length;
    done(this.missing < 0 ? this.fault(new Error(`${-this.missing} bytes too many came.`)) : null, chunk);
  }

  override _flush(done: TransformCallback): void {
    done(this.missing > 0 ? this.fault(new Error(`${this.missing} bytes did not come.`)) : null);
  }
}
