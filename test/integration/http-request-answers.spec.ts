import { createServer as createTcpServer, type AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { HttpRequest } from '@antrean/catalog';
import { JobAbortedError, type Job } from '@antrean/jobs';
import { HttpRequestHandler } from '../../apps/worker/src/handlers/http-request/http-request.handler.js';
import { jobContext } from '../support/job-context.js';
import { RequestStage, type RequestPayload } from '../support/request-stage.js';

const MOST_BYTES = 24_576;

let stage: RequestStage;

beforeAll(async () => {
  stage = await RequestStage.open();
}, 20_000);

beforeEach(() => {
  stage.reset();
});

afterAll(async () => {
  await stage.close();
});

const waitOf = ({ runs, nextAttemptAt }: Job): number => Number(nextAttemptAt) - Number(runs.at(-1)?.finishedAt);

/** The next request's patience ends when it is told to. */
function withPatience() {
  const patience = new AbortController();
  const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(patience.signal);
  return { patience, timeout };
}

describe('an answer', () => {
  it('becomes the result: status, what its headers say of it, and its body as a value', async () => {
    const headers = {
      'content-type': 'application/json',
      'set-cookie': 'session=s3cr3t',
      'www-authenticate': 'Basic',
      'x-powered-by': 'shop',
      location: '/orders/42',
      etag: '"1"',
      'x-request-id': 'r'.repeat(600),
    };
    stage.answerWith(201, headers, '{"id": 42}');
    const { result } = await stage.call();
    expect(result).toEqual({
      status: 201,
      headers: {
        date: expect.any(String) as unknown,
        etag: '"1"',
        location: '/orders/42',
        'x-request-id': 'r'.repeat(512),
      },
      content_type: 'application/json',
      body: { id: 42 },
      truncated: false,
      duration_ms: expect.any(Number) as unknown,
    });
  });

  it('to a HEAD has no body, whatever length it tells of', async () => {
    stage.answerWith(200, { 'content-length': '5000', 'content-type': 'text/plain' });
    const { result } = await stage.call({ method: 'HEAD' });
    expect(result).toMatchObject({ headers: { 'content-length': '5000' }, body: null, truncated: false });
  });

  it('that never ends is read up to a bound, and its connection closed', async () => {
    let written = 0;
    const closed = new Promise<void>((done) => {
      stage.answer = (response) => {
        response.on('error', () => undefined).on('close', done);
        response.writeHead(200, { 'content-type': 'text/plain' });
        const more = (): void => {
          while (!response.destroyed && response.write(Buffer.alloc(65_536, '"'))) written += 65_536;
          if (!response.destroyed) response.once('drain', more);
        };
        more();
      };
    });
    const { status, result } = await stage.call();
    expect({ status, result }).toMatchObject({
      status: 'succeeded',
      result: { status: 200, body: '"'.repeat(MOST_BYTES), truncated: true },
    });
    await closed;
    expect(written).toBeLessThan(50_000_000);
  });

  it('of as many bytes as are kept is kept whole, with one more it is cut', async () => {
    stage.answerWith(200, {}, 'a'.repeat(MOST_BYTES));
    expect((await stage.call()).result).toMatchObject({ body: 'a'.repeat(MOST_BYTES), truncated: false });
    stage.answerWith(200, {}, 'a'.repeat(MOST_BYTES + 1));
    expect((await stage.call()).result).toMatchObject({ body: 'a'.repeat(MOST_BYTES), truncated: true });
  });

  it('that is larger than any result can be as JSON succeeds all the same', async () => {
    stage.answerWith(200, { 'content-type': 'application/json' }, `[${'1e+20,'.repeat(4_000)}1]`);
    expect(await stage.call()).toMatchObject({ status: 'succeeded', result: { truncated: false } });
    stage.answerWith(
      200,
      { 'content-type': 'text/plain', etag: '"'.repeat(2_000), location: '"'.repeat(2_000) },
      '"'.repeat(MOST_BYTES),
    );
    expect(await stage.call()).toMatchObject({ status: 'succeeded', result: { truncated: false } });
  });

  it('that is compressed though nobody asked for it is not unpacked', async () => {
    const bomb = gzipSync(Buffer.alloc(10_000_000));
    stage.answer = (response) => response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb);
    expect((await stage.call()).result).toMatchObject({ headers: { 'content-encoding': 'gzip' }, body: null, truncated: true });
  });

  it.each<[number, RequestPayload['success'], Job['status']]>([
    [200, undefined, 'succeeded'],
    [299, undefined, 'succeeded'],
    [404, ['200-299', '404'], 'succeeded'],
    [409, [200, 409], 'succeeded'],
    [503, ['500-599'], 'succeeded'],
    [302, ['302'], 'succeeded'],
    [200, ['201'], 'failed'],
    [204, ['404'], 'failed'],
  ])('of %d, where %j is success, leads to: %s', async (status, success, wanted) => {
    stage.answerWith(status, { location: `${stage.http}/elsewhere` });
    expect(await stage.call(success === undefined ? {} : { success })).toMatchObject({ status: wanted });
    expect(stage.received).toHaveLength(1);
  });

  it.each([
    [301, 'failed'],
    [302, 'failed'],
    [307, 'failed'],
    [308, 'failed'],
    [400, 'failed'],
    [401, 'failed'],
    [404, 'failed'],
    [408, 'retrying'],
    [410, 'failed'],
    [422, 'failed'],
    [425, 'retrying'],
    [429, 'retrying'],
    [500, 'retrying'],
    [503, 'retrying'],
  ])('of %d leads to: %s', async (status, wanted) => {
    stage.answerWith(status, { location: `${stage.http}/elsewhere` }, 's3cr3t of the answer');
    const job = await stage.call();
    expect(job).toMatchObject({ status: wanted, error: { code: `http_${status}` } });
    expect(job.error?.message).toContain(`The receiver answered ${status}`);
    expect(JSON.stringify({ error: job.error, runs: job.runs })).not.toContain('s3cr3t');
    expect(stage.received).toHaveLength(1);
  });

  it('that says in seconds or as a date when to come again is heeded, but for a wait that is longer anyway', async () => {
    const minute = { backoff: { kind: 'fixed', delayMs: 60_000 } } as const;
    stage.answerWith(429, { 'retry-after': '120' });
    const inSeconds = waitOf(await stage.call({}, minute));
    stage.answerWith(503, { 'retry-after': new Date(Date.now() + 600_000).toUTCString() });
    const byDate = waitOf(await stage.call({}, minute));
    const itsOwn = waitOf(await stage.call({}, { backoff: { kind: 'fixed', delayMs: 3_600_000 } }));
    expect(inSeconds).toBeGreaterThanOrEqual(120_000);
    expect(inSeconds).toBeLessThanOrEqual(132_000);
    expect(byDate).toBeGreaterThan(590_000);
    expect(byDate).toBeLessThanOrEqual(660_000);
    expect(itsOwn).toBe(3_600_000);
  });

  it('by a switch of protocols is a failure, and its connection is closed', async () => {
    const closed = new Promise<void>((done) => {
      stage.answer = (_response, { socket }) => {
        socket.once('close', () => {
          done();
        });
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      };
    });
    expect(await stage.call()).toMatchObject({ status: 'failed', error: { code: 'http_101' } });
    await closed;
  });
});
describe('an answer that does not come', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('in time is waited for again', async () => {
    const { patience, timeout } = withPatience();
    stage.answer = () => {
      patience.abort();
    };
    expect(await stage.call({ timeout_sec: 7.5 })).toMatchObject({
      status: 'retrying',
      error: { code: 'http_timeout', message: 'The receiver did not answer within 7.5 s.' },
    });
    expect(timeout).toHaveBeenCalledWith(7_500);
  });

  it('to its end in time is one that did not come', async () => {
    const { patience } = withPatience();
    stage.answer = (response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      response.write('a drop', () => {
        setImmediate(() => {
          patience.abort();
        });
      });
    };
    expect(await stage.call()).toMatchObject({ status: 'retrying', error: { code: 'http_timeout' } });
  });

  it.each([
    ['breaks off in its body', 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf', 'ECONNRESET'],
    ['breaks off between its chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\nhalf\r\n', 'ECONNRESET'],
    ['breaks off in its head', 'HTTP/1.1 200 OK\r\ncontent-', 'ECONNRESET'],
    ['is nonsense', 'nonsense\r\n\r\n', 'HPE_INVALID_CONSTANT'],
    ['has a head without end', `HTTP/1.1 200 OK\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`, 'HPE_HEADER_OVERFLOW'],
  ])('as it %s is waited for again', async (_what, bytes, code) => {
    const raw = createTcpServer((socket) => {
      socket.on('error', () => undefined).once('data', () => socket.end(bytes));
    });
    await new Promise<void>((done) => raw.listen(0, '127.0.0.1', done));
    const job = await stage.call({ url: `http://127.0.0.1:${(raw.address() as AddressInfo).port}/` });
    raw.close();
    expect(job).toMatchObject({ status: 'retrying', error: { code, message: `The receiver could not be called: ${code}.` } });
  });

  it('because nobody is there is waited for again', async () => {
    expect(await stage.call({ url: 'http://127.0.0.1:1/' })).toMatchObject({
      status: 'retrying',
      error: { code: 'ECONNREFUSED' },
    });
    stage.resolve = (_host, callback) => {
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND hooks.test'), { code: 'ENOTFOUND' }), []);
    };
    expect(await stage.call({ url: 'https://hooks.test/' })).toMatchObject({ status: 'retrying', error: { code: 'ENOTFOUND' } });
  });

  it.each(['before', 'in the middle of'])('is not waited for by a run that is to end, %s the answer', async (when) => {
    const abort = new AbortController();
    const closed = new Promise<void>((done) => {
      stage.answer = (response) => {
        response.on('close', done);
        const end = (): void => {
          abort.abort(new JobAbortedError('cancelled'));
        };
        if (when === 'before') end();
        else response.writeHead(200).write('a drop', () => setImmediate(end));
      };
    });
    const context = jobContext(HttpRequest, { url: `${stage.http}/` }, { signal: abort.signal });
    await expect(stage.jobs.app.get(HttpRequestHandler).handle(context)).rejects.toThrow(/aborted/);
    await closed;
  });
});
