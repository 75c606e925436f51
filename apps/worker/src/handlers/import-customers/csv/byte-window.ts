const NO_BYTES: Buffer = Buffer.alloc(0);

/** The bytes of a stream that were read and are not done with yet. */
export class ByteWindow {
  private readonly source: AsyncIterator<Uint8Array>;
  private held: Buffer = NO_BYTES;
  private hasEnded = false;

  constructor(
    source: AsyncIterable<Uint8Array>,
    /** Where in the file the first byte of {@link bytes} stands. */
    public offset: number,
  ) {
    this.source = source[Symbol.asyncIterator]();
  }

  /** Views of it stay as they are when the window moves on. */
  get bytes(): Buffer {
    return this.held;
  }

  /** Nothing comes after {@link bytes}. */
  get ended(): boolean {
    return this.hasEnded;
  }

  /** Reads on until `length` bytes are held, or the stream ends. */
  async fill(length: number): Promise<void> {
    if (this.held.length >= length || this.hasEnded) return;
    const chunks: Uint8Array[] = [this.held];
    for (let total = this.held.length; total < length;) {
      const next = await this.source.next();
      if (next.done === true) {
        this.hasEnded = true;
        break;
      }
      chunks.push(next.value);
      total += next.value.length;
    }
    this.held = Buffer.concat(chunks);
  }

  /** Lets go of the first `length` bytes. */
  drop(length: number): void {
    this.held = this.held.subarray(length);
    this.offset += length;
  }

  async close(): Promise<void> {
    this.held = NO_BYTES;
    await this.source.return?.();
  }
}
