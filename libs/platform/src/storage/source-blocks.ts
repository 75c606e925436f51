import { Readable } from 'node:stream';
import { isUint8Array } from 'node:util/types';

const FIRST_BYTES = 65_536;
const GROWTH = 4;

/**
 * The bytes of a source in blocks of one size, the last one smaller; none of an empty source. Each is a copy. When the signal fires it throws
 * the reason at once, also while the source is being waited for. The source is ended whenever this ends.
 */
export async function* blocksOf(
  source: AsyncIterable<Uint8Array>,
  blockBytes: number,
  signal?: AbortSignal,
): AsyncGenerator<Buffer> {
  let block = new Block(Math.min(FIRST_BYTES, blockBytes), blockBytes);
  for await (const chunk of untilAborted(source, signal)) {
    for (let rest = chunk; rest.length > 0;) {
      rest = rest.subarray(block.take(rest));
      if (!block.isFull) continue;
      yield block.content;
      block = new Block(blockBytes, blockBytes);
    }
  }
  if (block.content.length > 0) yield block.content;
}

/** Grows with its content, as most files are small. */
class Block {
  private bytes: Buffer;
  private used = 0;

  constructor(
    firstBytes: number,
    private readonly mostBytes: number,
  ) {
    this.bytes = Buffer.allocUnsafeSlow(firstBytes);
  }

  get content(): Buffer {
    return this.bytes.subarray(0, this.used);
  }

  get isFull(): boolean {
    return this.used === this.mostBytes;
  }

  /** Copies as much of the chunk as fits, and says how much that was. */
  take(chunk: Uint8Array): number {
    const wanted = Math.min(this.used + chunk.length, this.mostBytes);
    if (wanted > this.bytes.length) this.grow(wanted);
    const taken = wanted - this.used;
    this.bytes.set(chunk.subarray(0, taken), this.used);
    this.used = wanted;
    return taken;
  }

  private grow(wanted: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.min(Math.max(wanted, this.bytes.length * GROWTH), this.mostBytes));
    grown.set(this.content);
    this.bytes = grown;
  }
}

async function* untilAborted(source: AsyncIterable<unknown>, signal: AbortSignal | undefined): AsyncGenerator<Uint8Array> {
  const chunks: AsyncIterator<unknown, unknown> = source[Symbol.asyncIterator]();
  let state: 'idle' | 'asked' | 'over' = 'idle';
  try {
    for (;;) {
      signal?.throwIfAborted();
      state = 'asked';
      const { done, value } = await orAborted(chunks.next(), signal);
      state = done === true ? 'over' : 'idle';
      if (done === true) return;
      if (!isUint8Array(value)) throw new TypeError('A source of a file gives bytes (Uint8Array), no texts and no other values.');
      yield value;
    }
  } finally {
    // One that was asked and does not answer would let this wait for it: it is told to end, and nobody waits.
    if (source instanceof Readable) source.destroy();
    else if (state === 'asked') void chunks.return?.().catch(() => undefined);
    else if (state === 'idle') await chunks.return?.();
  }
}

/** Leaves no listener behind: a signal outlives many chunks. */
async function orAborted<T>(answer: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return answer;
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      reject(signal.reason as Error); // Thrown on as it is.
    };
    signal.addEventListener('abort', abort, { once: true });
    void answer.then(resolve, reject).finally(() => {
      signal.removeEventListener('abort', abort);
    });
  });
}
