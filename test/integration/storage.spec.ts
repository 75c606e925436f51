import { randomBytes } from 'node:crypto';
import { getEventListeners, once } from 'node:events';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { setImmediate as turn } from 'node:timers/promises';
import {
  RangeNotSatisfiableError,
  StoredFileNotFoundError,
  parseStorageName,
  type Storage,
  type StorageName,
} from '@antrean/platform';
import { folderStorage, s3Storage, type TestStorage } from '../support/stored-files.js';

const MIB = 1_048_576;
const name = parseStorageName;

let names = 0;
/** One that no other test has used. */
function newName(ending = 'bin'): StorageName {
  return name(`files/${(names += 1)}/file.${ending}`);
}

async function* chunksOf(content: Buffer, chunkBytes = 65_536): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += chunkBytes) {
    await turn();
    yield content.subarray(start, start + chunkBytes);
  }
}

/** All chunks are the same bytes of memory. */
async function* throughOne(chunk: Buffer, content: Buffer): AsyncGenerator<Uint8Array> {
  for (let start = 0; start < content.length; start += chunk.length) {
    await turn();
    yield chunk.subarray(0, content.copy(chunk, 0, start));
  }
}

/** Gives so many bytes, and then whatever `then` does; says when it was asked for more and when it was ended. */
class HeldSource implements AsyncIterable<Uint8Array> {
  ended = false;
  private tellAsked: () => void = () => undefined;
  readonly asked = new Promise<void>((resolve) => (this.tellAsked = resolve));

  constructor(
    private readonly bytes: number,
    private readonly then: () => Promise<void>,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
    try {
      yield* chunksOf(Buffer.alloc(this.bytes, 7), MIB);
      this.tellAsked();
      await this.then();
    } finally {
      this.ended = true;
    }
  }
}

const never = async (): Promise<void> => new Promise(() => undefined);

async function contentOf(storage: Storage, file: StorageName): Promise<Buffer> {
  return buffer((await storage.read(file)).body);
}

async function namesIn(list: AsyncIterable<StorageName>): Promise<readonly string[]> {
  const names: string[] = [];
  for await (const one of list) names.push(one);
  return names.sort();
}

describe.each<[string, () => Promise<TestStorage>]>([
  ['a folder', folderStorage],
  ['S3', s3Storage],
])('storage in %s', (_kind, open) => {
  let opened: TestStorage;
  let storage: Storage;

  beforeAll(async () => {
    opened = await open();
    ({ storage } = opened);
  });
  afterAll(async () => opened.remove());

  describe('a file', () => {
    it.each([0, 1, 65_536, 262_145, 8 * MIB, 12 * MIB + 7])('of %i bytes is read as it was written', async (size) => {
      const [file, content] = [newName('csv'), randomBytes(size)];
      const written = await storage.write(file, chunksOf(content));
      const { body, ...facts } = await storage.read(file);
      expect((await buffer(body)).equals(content)).toBe(true);
      expect(written).toEqual({ size });
      expect(facts).toMatchObject({ name: file, size, contentType: 'text/csv; charset=utf-8' });
      expect(facts.etag).toMatch(/^"[\w-]+"$/);
      expect(await storage.stat(file)).toEqual(facts);
    });

    it('comes from a stream, or from chunks of any size whose bytes are used again', async () => {
      const [file, content] = [newName(), randomBytes(300_001)];
      await storage.write(file, Readable.from([content.subarray(0, 7), content.subarray(7)]));
      expect((await contentOf(storage, file)).equals(content)).toBe(true);
      await storage.write(file, throughOne(Buffer.alloc(97), content));
      expect((await contentOf(storage, file)).equals(content)).toBe(true);
    });

    it('takes bytes only', async () => {
      const texts = Readable.from(['a text']);
      await expect(storage.write(newName(), texts)).rejects.toThrow('A source of a file gives bytes');
      expect(texts.destroyed).toBe(true);
    });

    it('has a type by its ending', async () => {
      const file = newName('unknown');
      await storage.write(file, chunksOf(Buffer.alloc(1)));
      expect((await storage.stat(file))?.contentType).toBe('application/octet-stream');
    });

    it.each([
      'a',
      '0',
      'con-report/com10/nul_x.csv',
      'a..b/c--d/e__f',
      `reports/${'x'.repeat(64)}_01k4zzzzzzzzzzzzzzzzzzzzzz/report.csv`,
      Array.from({ length: 256 }, () => 'd').join('/'),
      'x'.repeat(128),
    ])('may be named %s', async (text) => {
      await storage.write(name(text), chunksOf(Buffer.from(text)));
      expect((await contentOf(storage, name(text))).toString()).toBe(text);
      await storage.delete(name(text));
    });

    it('that is not there is told so, as is a folder', async () => {
      const file = newName();
      await storage.write(file, chunksOf(Buffer.alloc(1)));
      for (const absent of [newName(), name(file.replace(/\/file.bin$/, '')), name(`${file}/x`)]) {
        expect(await storage.stat(absent)).toBeUndefined();
        const error = await storage.read(absent).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(StoredFileNotFoundError);
        expect(error).toMatchObject({ code: 'file_not_found', file: absent, name: 'StoredFileNotFoundError' });
        await storage.delete(absent);
      }
      expect(await storage.stat(file)).toBeDefined();
    });

    it('is gone when it was deleted', async () => {
      const file = newName();
      await storage.write(file, chunksOf(Buffer.alloc(1)));
      await storage.delete(file);
      expect(await storage.stat(file)).toBeUndefined();
    });
  });

  describe('a range', () => {
    const file = newName();
    const content = randomBytes(100_000);
    beforeAll(async () => storage.write(file, chunksOf(content)));

    it.each([
      [{ start: 0, end: 0 }, 0, 0],
      [{ start: 5, end: 9 }, 5, 9],
      [{ start: 99_990 }, 99_990, 99_999],
      [{ start: 99_999, end: 99_999 }, 99_999, 99_999],
      [{ start: 70_000, end: 1_000_000 }, 70_000, 99_999],
      [{ start: 0 }, 0, 99_999],
    ])('%j gives what there is of it', async (range, start, end) => {
      const { body, ...facts } = await storage.read(file, { range });
      expect((await buffer(body)).equals(content.subarray(start, end + 1))).toBe(true);
      expect(facts).toEqual(await storage.stat(file));
      expect(facts.size).toBe(content.length);
    });

    it('behind the last byte is refused, with the size', async () => {
      const empty = newName();
      await storage.write(empty, chunksOf(Buffer.alloc(0)));
      for (const [one, start, size] of [
        [file, 100_000, 100_000],
        [empty, 0, 0],
      ] as const) {
        const error = await storage.read(one, { range: { start } }).catch((thrown: unknown) => thrown);
        expect(error).toBeInstanceOf(RangeNotSatisfiableError);
        expect(error).toMatchObject({ code: 'range_not_satisfiable', file: one, size });
      }
      await expect(storage.read(newName(), { range: { start: 5 } })).rejects.toBeInstanceOf(StoredFileNotFoundError);
    });

    it.each([{ start: 2, end: 1 }, { start: -1 }, { start: 0.5 }, { start: 0, end: NaN }, { start: Infinity }])(
      '%j is a fault of the program',
      async (range) => {
        await expect(storage.read(file, { range })).rejects.toBeInstanceOf(RangeError);
      },
    );
  });

  describe('writing a name again', () => {
    it('replaces the file for who reads from now on, and for nobody who reads already', async () => {
      const [file, before, after] = [newName(), randomBytes(12 * MIB), randomBytes(9 * MIB)];
      await storage.write(file, chunksOf(before));
      const reading = await storage.read(file);
      await once(reading.body, 'readable');
      await storage.write(file, chunksOf(after));
      const etag = (await storage.stat(file))?.etag;
      expect((await contentOf(storage, file)).equals(after)).toBe(true);
      expect((await buffer(reading.body)).equals(before)).toBe(true);
      expect(etag).toMatch(/^"/);
      expect(etag).not.toBe(reading.etag);
      await storage.delete(file);
      expect(await storage.stat(file)).toBeUndefined();
    });

    it('at the same time leaves one of the files, whole', async () => {
      const file = newName();
      const contents = Array.from({ length: 12 }, (_, writer) => Buffer.alloc(writer < 2 ? 9 * MIB : 300_000, writer));
      await Promise.all(contents.map(async (content) => storage.write(file, chunksOf(content))));
      const left = await contentOf(storage, file);
      expect(contents.some((content) => content.equals(left))).toBe(true);
      expect(await opened.leftovers()).toEqual([]);
    });

    it('works also while the folder is being deleted', async () => {
      const file = newName();
      const folder = name(file.slice(0, file.lastIndexOf('/')));
      for (let round = 0; round < 20; round += 1) {
        const write = storage.write(file, chunksOf(Buffer.alloc(10)));
        await Promise.all([write, storage.delete(name(`${folder}/other`)), storage.deleteFolder(folder)]);
      }
      await storage.write(file, chunksOf(Buffer.from('last')));
      expect((await contentOf(storage, file)).toString()).toBe('last');
    });
  });

  describe.each([
    ['in the first bytes', 1_000],
    ['after many', 17 * MIB],
  ])('a write that ends early, %s,', (_when, bytes) => {
    it('because its source fails leaves nothing, and throws what the source threw', async () => {
      const [file, fault] = [newName(), Object.assign(new Error('The source is broken'), { code: 'ENOENT', errno: -2 })];
      const source = new HeldSource(bytes, () => Promise.reject(fault));
      await expect(storage.write(file, source)).rejects.toBe(fault);
      expect(await storage.stat(file)).toBeUndefined();
      expect(await namesIn(storage.list(name(file.slice(0, file.lastIndexOf('/')))))).toEqual([]);
      expect(await opened.leftovers()).toEqual([]);
      expect(source.ended).toBe(true);
    });

    it('because its signal fires, though the source says nothing, leaves what was there before', async () => {
      const [file, before] = [newName(), randomBytes(100)];
      await storage.write(file, chunksOf(before));
      const [stop, reason] = [new AbortController(), new Error('Enough')];
      const source = new HeldSource(bytes, never);
      const write = storage.write(file, source, { signal: stop.signal });
      await source.asked;
      expect((await contentOf(storage, file)).equals(before)).toBe(true);
      stop.abort(reason);
      await expect(write).rejects.toBe(reason);
      expect((await contentOf(storage, file)).equals(before)).toBe(true);
      expect(await opened.leftovers()).toEqual([]);
    });

    it('because its stream is destroyed leaves nothing', async () => {
      const file = newName();
      const stream = new PassThrough();
      const write = storage.write(file, stream);
      await new Promise((resolve) => stream.write(Buffer.alloc(bytes), resolve));
      stream.destroy();
      await expect(write).rejects.toMatchObject({ code: 'ERR_STREAM_PREMATURE_CLOSE' });
      expect(await storage.stat(file)).toBeUndefined();
      expect(await opened.leftovers()).toEqual([]);
    });
  });

  it('begins nothing that was stopped before', async () => {
    const [file, reason] = [newName(), new Error('Too late')];
    const options = { signal: AbortSignal.abort(reason) };
    await expect(storage.write(file, chunksOf(Buffer.alloc(1)), options)).rejects.toBe(reason);
    await expect(storage.read(file, options)).rejects.toBe(reason);
    expect(await storage.stat(file)).toBeUndefined();
  });

  it('stops to read when the signal fires, and tells who begins to read then', async () => {
    const file = newName();
    await storage.write(file, chunksOf(randomBytes(9 * MIB)));
    const [stop, reason] = [new AbortController(), new Error('Enough')];
    const { body } = await storage.read(file, { signal: stop.signal });
    const ended = buffer(body);
    const { body: unread } = await storage.read(file, { signal: stop.signal });
    stop.abort(reason);
    await expect(ended).rejects.toBe(reason);
    await expect(buffer(unread)).rejects.toBe(reason);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
  });

  describe('a list', () => {
    beforeAll(async () => opened.seed(['few/1/a', 'few/1/Foreign File.csv', 'few/1/.hidden', 'few-more/1', 'few.csv']));

    it('has the files of a folder at any depth, and none of its neighbours or of what has no name of ours', async () => {
      expect(await namesIn(storage.list(name('few')))).toEqual(['few/1/a']);
    });

    it('of all files has those of every folder', async () => {
      expect(await namesIn(storage.list())).toEqual(expect.arrayContaining(['few.csv', 'few-more/1', 'few/1/a']));
    });

    it('of a folder that is not there is empty', async () => {
      expect(await namesIn(storage.list(name('none/of/this')))).toEqual([]);
      expect(await namesIn(storage.list(name('few.csv')))).toEqual([]);
    });

    it('is empty once its folder was deleted, which spares the neighbours', async () => {
      const doomed = Array.from({ length: 40 }, (_, index) => `doomed/${index % 3}/${index}`);
      await opened.seed([...doomed, 'doomed/Foreign File', 'doomed-not/1', 'doomed.csv', 'not/doomed/1']);
      await storage.deleteFolder(name('doomed'));
      expect(await namesIn(storage.list(name('doomed')))).toEqual([]);
      for (const spared of ['doomed-not/1', 'doomed.csv', 'not/doomed/1']) expect(await storage.stat(name(spared))).toBeDefined();
      await storage.deleteFolder(name('doomed'));
    });

    it('of many files has each once', async () => {
      const many = Array.from({ length: 2_500 }, (_, index) => `many/${index % 7}/${String(index).padStart(4, '0')}.csv`);
      await opened.seed(many);
      expect(await namesIn(storage.list(name('many')))).toEqual([...many].sort());
    });
  });

  it('is checked without leaving anything', async () => {
    await storage.check(AbortSignal.timeout(10_000));
    expect(await opened.leftovers()).toEqual([]);
  });
});
