import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { buffer } from 'node:stream/consumers';
import {
  LastingStorageError,
  PassingStorageError,
  StorageAwayError,
  UnfitStorageError,
  parseStorageName,
  type Storage,
} from '@antrean/platform';
import { s3Storage, storageAt } from '../support/stored-files.js';

const MIB = 1_048_576;
const name = parseStorageName;

async function* zeros(bytes: number, told: (given: number) => void = () => undefined): AsyncGenerator<Uint8Array> {
  for (let given = MIB; given <= bytes; given += MIB) {
    told(given);
    await turn();
    yield Buffer.alloc(MIB);
  }
}

const ALL_BUT_DATES = [
  ...(['hrtime', 'nextTick', 'performance', 'queueMicrotask', 'setImmediate', 'clearImmediate'] as const),
  ...(['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const),
];

const thrownBy = async (work: Promise<unknown>): Promise<unknown> => work.then(() => undefined).catch((error: unknown) => error);

describe('storage in S3', () => {
  let opened: Awaited<ReturnType<typeof s3Storage>>;
  let server: typeof opened.server;
  let storage: Storage;

  beforeAll(async () => {
    opened = await s3Storage();
    ({ storage, server } = opened);
    await storage.write(name('there.csv'), zeros(MIB));
  });
  beforeEach(() => {
    server.behave();
  });
  afterAll(async () => opened.remove());

  it('is not held up by files that are read slowly', async () => {
    const files = await Promise.all(Array.from({ length: 60 }, () => storage.read(name('there.csv'))));
    expect(await storage.stat(name('there.csv'))).toMatchObject({ size: MIB });
    for (const { body } of files) body.destroy();
  });

  describe('writing', () => {
    it('sends a small file at once, a large one in parts of 8 MiB', async () => {
      await storage.write(name('small'), zeros(7 * MIB));
      await storage.write(name('large'), zeros(20 * MIB));
      expect(server.calls).toEqual(['put', 'uploads', 'begin', 'part', 'part', 'part', 'complete']);
    });

    it('removes once what a process that died a day ago had sent in parts, and nothing of others', async () => {
      const [now, young] = [Date.now(), 'some/prefix/young'];
      await server.abandonUpload('some/prefix/old', new Date(now - 25 * 3_600_000));
      await server.abandonUpload('some/prefix/older', new Date(now - 99 * 3_600_000));
      await server.abandonUpload('some/elsewhere/old', new Date(now - 99 * 3_600_000));
      await server.abandonUpload(young, new Date(now - 23 * 3_600_000));
      const fresh = await storageAt(opened.url);
      for (const file of ['first', 'second']) await fresh.write(name(file), zeros(9 * MIB));
      expect(await server.unfinishedKeys()).toEqual(['some/elsewhere/old', young]);
      expect(server.calls.filter((call) => call === 'abort')).toHaveLength(2);
      expect(server.calls.lastIndexOf('uploads')).toBeLessThan(server.calls.indexOf('complete'));
      await server.forgetUploads();
    });

    it('goes on where it may not look what others have left', async () => {
      server.refuse('uploads', 403, 'AccessDenied');
      const fresh = await storageAt(opened.url);
      await fresh.write(name('first'), zeros(9 * MIB));
      expect((await storage.stat(name('first')))?.size).toBe(9 * MIB);
    });

    it('asks its source for no more than one part beyond the one that is being sent', async () => {
      server.hang('part');
      let given = 0;
      const stop = new AbortController();
      const source = zeros(100 * MIB, (bytes) => {
        given = bytes;
      });
      const begun = server.next('part');
      const write = storage.write(name('slow'), source, { signal: stop.signal });
      await begun;
      for (let turns = 0; turns < 200; turns += 1) await turn();
      expect(given).toBeLessThanOrEqual(16 * MIB);
      stop.abort(new Error('Enough'));
      await expect(write).rejects.toThrow('Enough');
    });

    it('aborts the upload when a part is refused, though the source says nothing', async () => {
      server.refuse('part', 403, 'AccessDenied');
      async function* silent(): AsyncGenerator<Uint8Array> {
        yield* zeros(9 * MIB);
        await new Promise(() => undefined);
      }
      await expect(storage.write(name('refused'), silent())).rejects.toBeInstanceOf(UnfitStorageError);
      expect(server.calls).toEqual(['begin', 'part', 'abort']);
      expect(await opened.leftovers()).toEqual([]);
    });

    it('aborts the upload when it cannot be completed', async () => {
      server.refuse('complete', 500, 'InternalError');
      await expect(storage.write(name('incomplete'), zeros(9 * MIB))).rejects.toBeInstanceOf(StorageAwayError);
      expect(server.calls.at(-1)).toBe('abort');
      expect(await opened.leftovers()).toEqual([]);
      expect(await storage.stat(name('incomplete'))).toBeUndefined();
    });

    it('tries again what passes', async () => {
      server.refuse('put', 503, 'SlowDown', 1);
      server.refuse('part', 500, 'InternalError', 1);
      server.forget('part');
      await storage.write(name('again'), zeros(MIB));
      await storage.write(name('again'), zeros(17 * MIB));
      expect((await storage.stat(name('again')))?.size).toBe(17 * MIB);
    });

    it('completes what was stopped too late', async () => {
      const stop = new AbortController();
      void server.next('complete').then(() => {
        stop.abort(new Error('Too late'));
      });
      const { size } = await storage.write(name('late'), zeros(9 * MIB), { signal: stop.signal });
      expect((await storage.stat(name('late')))?.size).toBe(size);
    });
  });

  describe('reading', () => {
    it('ends with an error when the connection breaks, and never early', async () => {
      server.cut('get', 300_000);
      const { body } = await storage.read(name('there.csv'));
      await expect(buffer(body)).rejects.toBeInstanceOf(StorageAwayError);
    });

    it('takes from the server only what is read', async () => {
      await storage.write(name('unread'), zeros(24 * MIB));
      let sent = 0;
      server.watch('get', (bytes) => (sent = bytes));
      const { body } = await storage.read(name('unread'));
      await once(body, 'readable');
      for (let turns = 0; turns < 500; turns += 1) await turn();
      expect(sent).toBeLessThan(12 * MIB);
      body.destroy();
    });
  });

  describe('a signed address', () => {
    const options = { expiresSec: 60, fileName: 'Bericht "Mai"/é.csv' };

    it('lets anybody read the file, and name it', async () => {
      const url = (await storage.signedUrl(name('there.csv'), options)) ?? '';
      const answer = await fetch(url);
      expect(answer.status).toBe(200);
      expect((await answer.arrayBuffer()).byteLength).toBe(MIB);
      expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
      expect(answer.headers.get('content-disposition')).toBe(
        `attachment; filename="Bericht _Mai___.csv"; filename*=UTF-8''Bericht%20%22Mai%22_%C3%A9.csv`,
      );
    });

    it.each([
      ['another file', (url: URL) => (url.pathname = url.pathname.replace('there', 'other'))],
      ['a longer time', (url: URL) => (url.search = url.search.replace('Expires=60', 'Expires=600'))],
      ['another name', (url: URL) => (url.search = url.search.replace('Bericht', 'Bericht2'))],
      ['another signature', (url: URL) => (url.search = url.search.replace(/Signature=./, 'Signature=g'))],
    ])('is refused when it was changed to %s', async (_what, change) => {
      const url = new URL((await storage.signedUrl(name('there.csv'), options)) ?? '');
      change(url);
      expect((await fetch(url)).status).toBe(403);
    });

    it('is refused when its time is over', async () => {
      jest.useFakeTimers({ now: Date.now() - 61_000, doNotFake: [...ALL_BUT_DATES] });
      const url = await storage.signedUrl(name('there.csv'), options).finally(() => {
        jest.useRealTimers();
      });
      expect((await fetch(url ?? '')).status).toBe(403);
    });

    it.each([0, -1, 0.5, 604_801, NaN])('is not made for %d seconds', async (expiresSec) => {
      await expect(storage.signedUrl(name('there.csv'), { expiresSec })).rejects.toBeInstanceOf(RangeError);
    });

    it('is not given where clients cannot reach the server', async () => {
      const hidden = await storageAt(server.url('', '&signed_urls=off'));
      expect(await hidden.signedUrl(name('there.csv'), options)).toBeUndefined();
    });
  });

  describe('what the server says', () => {
    const write = (): Promise<unknown> => storage.write(name('refused'), zeros(MIB));

    it.each([
      ['no such bucket', 404, 'NoSuchBucket', 'storage_unfit', 'Create it, or mend STORAGE_URL'],
      ['no permission', 403, 'AccessDenied', 'storage_unfit', 'Allow s3:GetObject'],
      ['an unknown key', 403, 'InvalidAccessKeyId', 'storage_unfit', 'Look at AWS_ACCESS_KEY_ID'],
      ['a wrong secret', 403, 'SignatureDoesNotMatch', 'storage_unfit', 'Look at AWS_SECRET_ACCESS_KEY'],
      ['another region', 301, 'PermanentRedirect', 'storage_unfit', 'Set region'],
      ['a wrong clock', 403, 'RequestTimeTooSkewed', 'storage_unfit', 'clock'],
      ['credentials that expired', 400, 'ExpiredToken', 'storage_unfit', 'new ones'],
      ['what nobody knows', 400, 'Whatever', 'storage_refused', '400 Whatever'],
      ['no space', 507, 'XMinioStorageFull', 'storage_full', 'no room is left'],
      ['no quota', 403, 'QuotaExceeded', 'storage_full', 'no room is left'],
      ['a crash', 500, 'InternalError', 'storage_away', '500 InternalError'],
      ['too much', 503, 'SlowDown', 'storage_away', '503 SlowDown'],
    ])('of %s becomes an error that says what to do', async (_what, status, code, expected, text) => {
      server.refuse('put', status, code);
      server.refuse('get', status, code);
      for (const error of [await thrownBy(write()), await thrownBy(storage.read(name('there.csv')))]) {
        expect(error).toMatchObject({ code: expected, message: expect.stringContaining(text) as string });
        expect(error).toBeInstanceOf(expected === 'storage_refused' ? LastingStorageError : PassingStorageError);
        expect((error as Error).cause).toBeInstanceOf(Error);
      }
    });

    it.each([
      [400, 'ExpiredToken', 'Look at the credentials'],
      [403, 'AccessDenied', 'Allow s3:GetObject'],
    ])('of credentials without a reason, as HEAD gets none, is no refusal of the file: %d %s', async (status, code, text) => {
      server.refuse('head', status, code);
      expect(await thrownBy(storage.stat(name('there.csv')))).toMatchObject({
        code: 'storage_unfit',
        message: expect.stringContaining(text) as string,
      });
    });

    it('tells a bucket that is not there from a file that is not', async () => {
      expect(await storage.stat(name('nothing.csv'))).toBeUndefined();
      const elsewhere = await storageAt(server.url().replace('//files', '//no-such-bucket'));
      const a = name('a');
      for (const call of [() => elsewhere.stat(a), () => elsewhere.read(a), () => elsewhere.write(a, zeros(MIB))]) {
        expect(await thrownBy(call())).toMatchObject({
          code: 'storage_unfit',
          message: expect.stringContaining('there is no such bucket') as string,
        });
      }
    });

    it('counts as away when it is not there, or breaks off', async () => {
      server.forget('put', Infinity);
      expect(await thrownBy(write())).toBeInstanceOf(StorageAwayError);
      const nowhere = await storageAt('s3://files/?endpoint=http://127.0.0.1:1');
      const works = [nowhere.stat(name('a')), nowhere.delete(name('a')), nowhere.check(AbortSignal.timeout(10_000))];
      for (const error of await Promise.all(works.map(thrownBy))) expect(error).toMatchObject({ code: 'storage_away' });
    });

    it('is asked by a check whether it would take a file, and gets none', async () => {
      await storage.check(AbortSignal.timeout(10_000));
      expect(server.calls).toEqual(['begin', 'abort']);
    });

    it('ends a check that nobody answers with the signal', async () => {
      server.hang('begin');
      const [stop, reason] = [new AbortController(), new Error('Too long')];
      const begun = server.next('begin');
      const check = storage.check(stop.signal);
      await begun;
      stop.abort(reason);
      await expect(check).rejects.toBe(reason);
    });

    it('is not asked for credentials that are not there', async () => {
      const { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret } = process.env;
      Object.assign(process.env, { AWS_EC2_METADATA_DISABLED: 'true' });
      delete process.env['AWS_ACCESS_KEY_ID'];
      delete process.env['AWS_SECRET_ACCESS_KEY'];
      try {
        const stranger = await storageAt(server.url());
        expect(await thrownBy(stranger.stat(name('a')))).toMatchObject({
          code: 'storage_unfit',
          message: expect.stringContaining('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY') as string,
        });
      } finally {
        Object.assign(process.env, { AWS_ACCESS_KEY_ID: id, AWS_SECRET_ACCESS_KEY: secret });
      }
    });
  });
});
