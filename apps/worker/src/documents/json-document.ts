import { utf8Chunks } from '@antrean/platform';

/** Items as a JSON array in UTF-8, one item a line. Items are asked for as the bytes are taken. */
export function jsonDocument(items: AsyncIterable<object>): AsyncGenerator<Buffer, void, undefined> {
  return utf8Chunks(lines(items));
}

async function* lines(items: AsyncIterable<object>): AsyncGenerator<string, void, undefined> {
  let isFirst = true;
  for await (const item of items) {
    yield `${isFirst ? '[' : ','}\n${JSON.stringify(item)}`;
    isFirst = false;
  }
  yield isFirst ? '[]\n' : '\n]\n';
}
