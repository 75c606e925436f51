import { Readable } from 'node:stream';
import { getEventListeners, once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { blocksOf } from './source-blocks.js';

async function* chunks(...sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  for (const [index, size] of sizes.entries()) {
    await turn();
    yield Buffer.alloc(size, index + 1);
  }
}

async function sizesOf(blocks: AsyncIterable<Buffer>): Promise<number[]> {
  const sizes: number[] = [];
  for await (const block of blocks) sizes.push(block.length);
  return sizes;
}

describe('blocksOf', () => {
  it.each([
    [[], []],
    [[0, 0], []],
    [[1], [1]],
    [[100_000], [100_000]],
    [[99_999, 1], [100_000]],
    [[100_001], [100_000, 1]],
    [[350_000], [100_000, 100_000, 100_000, 50_000]],
    [
      [60_000, 10_000, 0, 70_000, 160_000],
      [100_000, 100_000, 100_000],
    ],
  ])('makes of chunks of %j bytes blocks of %j', async (given, expected) => {
    expect(await sizesOf(blocksOf(chunks(...given), 100_000))).toEqual(expected);
  });

  it('keeps the order of bytes', async () => {
    const all: Buffer[] = [];
    for await (const block of blocksOf(chunks(3, 4, 5), 7)) all.push(block);
    expect(Buffer.concat(all)).toEqual(Buffer.from([1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 3]));
  });

  it('ends a source that is not read to its end', async () => {
    let ended = 0;
    async function* source(): AsyncGenerator<Uint8Array> {
      try {
        for (;;) {
          await turn();
          yield Buffer.alloc(10);
        }
      } finally {
        ended += 1;
      }
    }
    for await (const block of blocksOf(source(), 10)) {
      expect(block.length).toBe(10);
      break;
    }
    const stream = Readable.from(source());
    for await (const _block of blocksOf(stream, 10)) break;
    if (!stream.closed) await once(stream, 'close');
    expect(ended).toBe(2);
  });

  it('leaves no listener on a signal that does not fire, however many chunks come', async () => {
    const { signal } = new AbortController();
    await sizesOf(blocksOf(chunks(...Array.from({ length: 100 }, () => 5)), 10, signal));
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
