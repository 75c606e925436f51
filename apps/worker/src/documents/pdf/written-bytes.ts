const BLOCK_BYTES = 65_536;

/** Bytes that come in many small pieces, of which the pieces themselves are not kept. */
export class WrittenBytes {
  private readonly ready: Buffer[] = [];
  private block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
  /** What of the block is taken, and what is filled. */
  private from = 0;
  private to = 0;

  add(piece: Uint8Array): void {
    for (let rest = piece; rest.length > 0;) {
      const fits = rest.subarray(0, BLOCK_BYTES - this.to);
      this.block.set(fits, this.to);
      this.to += fits.length;
      rest = rest.subarray(fits.length);
      if (this.to === BLOCK_BYTES) this.nextBlock();
    }
  }

  /** What came since the last time. */
  take(): readonly Buffer[] {
    if (this.to > this.from) this.ready.push(this.block.subarray(this.from, this.to));
    this.from = this.to;
    return this.ready.splice(0);
  }

  private nextBlock(): void {
    this.ready.push(this.block.subarray(this.from));
    this.block = Buffer.allocUnsafeSlow(BLOCK_BYTES);
    this.from = 0;
    this.to = 0;
  }
}
