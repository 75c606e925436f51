import { Readable } from 'node:stream';
import { jsonDocument } from './json-document.js';

async function written(items: Iterable<object>): Promise<Buffer[]> {
  const chunks: Buffer[] = [];
  for await (const chunk of jsonDocument(Readable.from(items))) chunks.push(chunk);
  return chunks;
}

describe('a JSON document', () => {
  it.each([0, 1, 2, 1_000, 5_000])('is an array of all its items: %d', async (count) => {
    const items = Array.from({ length: count }, (_, id) => ({ id, name: `name "${id}" é 王 \u2028 \ud800`, country: null }));
    const chunks = await written(items);
    expect(JSON.parse(Buffer.concat(chunks).toString('utf8'))).toEqual(items);
    for (const chunk of chunks.slice(0, -1)) expect(chunk.length).toBeGreaterThanOrEqual(64 * 1024);
  });

  it('has one item a line', async () => {
    expect(Buffer.concat(await written([{ a: 1 }, { a: -1.5 }])).toString()).toBe('[\n{"a":1},\n{"a":-1.5}\n]\n');
    expect(Buffer.concat(await written([])).toString()).toBe('[]\n');
  });
});
