import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readlink } from 'node:fs/promises';
import { get, type IncomingMessage } from 'node:http';
import { newReport, startDocumentStage, type DocumentStage } from '../support/document-stage.js';
import { eventually } from '../support/eventually.js';
import { schemaFaults } from '../support/open-api.js';
import { folderStorage, s3Storage, type TestStorage } from '../support/stored-files.js';

const CSV = Buffer.from('id,name\r\n1,Zoë\r\n2,王\r\n');
const SIZE = CSV.length;
/** More than all buffers hold on the way to a client that does not read. */
const LARGE = randomBytes(32 * 1024 * 1024);
const large = () => newReport({ format: 'pdf' });

const KINDS: readonly (readonly [string, () => Promise<TestStorage>, string])[] = [
  ['a folder', folderStorage, ''],
  ['S3 without signed addresses', s3Storage, '&signed_urls=off'],
];

describe.each(KINDS)('the file of a job in %s', (_kind, files, options) => {
  let stage: DocumentStage;
  let url: string;
  let etag: string;

  beforeAll(async () => {
    stage = await startDocumentStage(await files(), options);
    ({ url } = (await stage.made(CSV)).result);
    etag = (await stage.api.http.head(url)).headers['etag'] ?? '';
  });

  afterAll(() => stage.close());

  const get = async (headers: Readonly<Record<string, string>> = {}, method = 'GET') => {
    const answer = await fetch(`${stage.api.url}${url}`, { method, headers });
    return { status: answer.status, headers: Object.fromEntries(answer.headers), body: Buffer.from(await answer.arrayBuffer()) };
  };

  it('is sent as it is, to be saved under a name with its day', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const head = {
      'content-type': 'text/csv; charset=utf-8',
      'content-disposition': expect.stringContaining(`filename="orders-${today}.csv"`) as string,
      'content-length': String(SIZE),
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      etag: expect.stringMatching(/^"[^"]+"$/) as string,
    };
    expect(await get()).toMatchObject({ status: 200, body: CSV, headers: head });
    expect(await get({}, 'HEAD')).toMatchObject({ status: 200, body: Buffer.alloc(0), headers: head });
  });

  it.each([
    ['bytes=0-6', 0, 6],
    ['bytes=9-', 9, SIZE - 1],
    ['bytes=-5', SIZE - 5, SIZE - 1],
    ['bytes=0-5000', 0, SIZE - 1],
  ])('is sent in part: %s', async (range, first, last) => {
    expect(await get({ Range: range })).toMatchObject({
      status: 206,
      body: CSV.subarray(first, last + 1),
      headers: { etag, 'content-range': `bytes ${first}-${last}/${SIZE}`, 'content-length': String(last - first + 1) },
    });
  });

  it('is sent whole for a range that is none, for several, for one of another file, and to HEAD', async () => {
    for (const headers of [
      { Range: 'bytes=5-1' },
      { Range: 'bytes=0-1,4-5' },
      { Range: 'rows=0-1' },
      { Range: 'bytes=0-1', 'If-Range': '"another"' },
      { Range: 'bytes=0-1', 'If-Range': `W/${etag}` },
      { Range: 'bytes=0-1', 'If-Range': new Date().toUTCString() },
    ]) {
      expect(await get(headers)).toMatchObject({ status: 200, body: CSV });
    }
    expect(await get({ Range: 'bytes=0-1' }, 'HEAD')).toMatchObject({ status: 200, headers: { 'content-length': String(SIZE) } });
    expect(await get({ Range: 'bytes=0-1', 'If-Range': etag })).toMatchObject({ status: 206, body: CSV.subarray(0, 2) });
  });

  it('has no range behind its end, and says where that is', async () => {
    const answer = await get({ Range: `bytes=${SIZE}-` });
    expect(answer).toMatchObject({ status: 416, headers: { 'content-range': `bytes */${SIZE}` } });
    const body = JSON.parse(answer.body.toString()) as object;
    expect(body).toMatchObject({ code: 'range_not_satisfiable' });
    expect(schemaFaults('Problem', body)).toEqual([]);
  });

  it('is not sent to who has it, or wants another', async () => {
    for (const method of ['GET', 'HEAD']) {
      const held = { 'If-None-Match': `"x", W/${etag}`, Range: 'bytes=0-1' };
      expect(await get(held, method)).toMatchObject({ status: 304, body: Buffer.alloc(0), headers: { etag } });
      expect(await get({ 'If-Match': '"another"' }, method)).toMatchObject({ status: 412 });
    }
    expect(await get({ 'If-None-Match': '"another"', 'If-Match': etag })).toMatchObject({ status: 200, body: CSV });
  });

  it('takes no query', async () => {
    expect(await stage.api.http.get(`${url}?as=pdf`)).toMatchObject({ status: 400, body: { code: 'invalid_request' } });
  });

  it('may be empty', async () => {
    const empty = (await stage.made(Buffer.alloc(0))).result.url;
    expect(await stage.api.http.get(empty)).toMatchObject({ status: 200, headers: { 'content-length': '0' } });
    expect((await stage.api.http.get(empty).set('Range', 'bytes=0-')).status).toBe(416);
  });

  it('of many megabytes comes whole, and to its last byte', async () => {
    const address = `${stage.api.url}${(await stage.made(LARGE, large())).result.url}`;
    const whole = await fetch(address);
    expect(whole.headers.get('content-type')).toBe('application/pdf');
    expect(Buffer.from(await whole.arrayBuffer()).equals(LARGE)).toBe(true);
    const part = await fetch(address, { headers: { Range: 'bytes=-1000000' } });
    expect(Buffer.from(await part.arrayBuffer()).equals(LARGE.subarray(-1_000_000))).toBe(true);
  });

  it('is gone when somebody has removed it, and there again after a replay, as another one', async () => {
    const { http } = stage.api;
    const { job_id, result } = await stage.made(CSV);
    const before = (await http.head(result.url)).headers['etag'];
    await stage.files.storage.delete(result.file_key);
    for (const answer of [await http.get(result.url), await http.get(result.url).set('Range', 'bytes=0-1')]) {
      const links = { self: `/jobs/${job_id}` };
      expect(answer).toMatchObject({ status: 410, body: { code: 'file_gone', job_id, job_status: 'succeeded', links } });
      expect(answer.headers).not.toHaveProperty('etag');
    }
    expect((await http.head(result.url)).status).toBe(410);
    await http.post(`/jobs/${job_id}/replay`).send();
    await http.get(`/jobs/${job_id}`).set('Prefer', 'wait=20');
    const again = await http.get(result.url);
    expect(again).toMatchObject({ status: 200, text: CSV.toString() });
    if (options === '') expect(again.headers['etag']).not.toBe(before);
  });
});

it('a file in a folder is let go of when its client goes away in the middle', async () => {
  const stage = await startDocumentStage(await folderStorage());
  try {
    const { url } = (await stage.made(LARGE, large())).result;
    const [answer] = (await once(get(`${stage.api.url}${url}`, { agent: false }), 'response')) as [IncomingMessage];
    await once(answer, 'readable');
    expect(await openFiles()).toHaveLength(1);
    answer.destroy();
    await eventually(async () => {
      expect(await openFiles()).toEqual([]);
    });
    expect(stage.api.log.filter(({ level }) => level === 'error')).toEqual([]);
    expect(stage.api.log).toContainEqual(expect.objectContaining({ route: '/reports/:id', method: 'GET', aborted: true }));
  } finally {
    await stage.close();
  }
});

describe('the file of a job in S3', () => {
  it('is answered with an address that is valid for a while', async () => {
    const files = await s3Storage();
    const { api, made, close } = await startDocumentStage(files);
    try {
      const { result } = await made(CSV);
      const answer = await fetch(`${api.url}${result.url}`, { redirect: 'manual', headers: { Range: 'bytes=500-' } });
      expect(answer.status).toBe(303);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      const address = new URL(answer.headers.get('location') ?? '');
      expect(address.origin).toBe(files.server.endpoint);
      expect(address.searchParams.get('X-Amz-Expires')).toBe('300');
      const file = await fetch(`${api.url}${result.url}`);
      expect(Buffer.from(await file.arrayBuffer()).equals(CSV)).toBe(true);
      expect(file.headers.get('content-disposition')).toMatch(/filename="orders-[\d-]{10}\.csv"/);
      await files.storage.delete(result.file_key);
      expect((await api.http.get(result.url)).status).toBe(410);
    } finally {
      await close();
    }
  });

  it('is told of to HEAD without an address, which would be signed for GET', async () => {
    const { api, made, close } = await startDocumentStage(await s3Storage());
    try {
      const { url } = (await made(CSV)).result;
      const head = async (headers: Readonly<Record<string, string>> = {}) =>
        fetch(`${api.url}${url}`, { method: 'HEAD', redirect: 'manual', headers });
      const { status, headers } = await head();
      expect({ status, size: headers.get('content-length') }).toEqual({ status: 200, size: String(SIZE) });
      const etag = headers.get('etag') ?? '';
      expect(etag).toMatch(/^"[^"]+"$/);
      expect((await head({ 'If-None-Match': etag })).status).toBe(304);
      expect((await head({ 'If-Match': '"another"' })).status).toBe(412);
    } finally {
      await close();
    }
  });

  it('that breaks off on the way breaks the connection, and is not taken for the whole', async () => {
    const files = await s3Storage();
    const { api, made, close } = await startDocumentStage(files, '&signed_urls=off');
    try {
      const { url } = (await made(LARGE, large())).result;
      files.server.cut('get', 1_000_000);
      const answer = await fetch(`${api.url}${url}`);
      expect(answer.status).toBe(200);
      await expect(answer.arrayBuffer()).rejects.toThrow();
      expect(api.log).toContainEqual(expect.objectContaining({ msg: 'request could not be served' }));
      files.server.behave();
      files.server.refuse('head', 503, 'SlowDown');
      expect(await api.http.get(url)).toMatchObject({ status: 503, body: { code: 'storage_unavailable' } });
    } finally {
      await close();
    }
  });
});

/** Files of reports that this process holds open. */
async function openFiles(): Promise<readonly string[]> {
  const held = await Promise.all((await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')));
  return held.filter((path) => path.includes('/jobs/report.generate/'));
}
