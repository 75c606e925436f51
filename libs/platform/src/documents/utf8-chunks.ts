const CHUNK = 64 * 1024;

/** Texts as UTF-8, gathered into chunks of 64 KiB and a little more; the last one has what is left. */
export async function* utf8Chunks(texts: AsyncIterable<string>): AsyncGenerator<Buffer, void, undefined> {
  let gathered: string[] = [];
  let length = 0;
  for await (const text of texts) {
    gathered.push(text);
    length += text.length;
    if (length < CHUNK) continue;
    yield Buffer.from(gathered.join(''));
    gathered = [];
    length = 0;
  }
  if (length > 0) yield Buffer.from(gathered.join(''));
}
