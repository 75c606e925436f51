import { createHash } from 'node:crypto';
import { readFile, rm, symlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { ImportCustomers, catalog } from '@antrean/catalog';
import { Storage, parseStorageName } from '@antrean/platform';
import { Customers, Database, Imports } from '@antrean/shop';
import { ImportCustomersHandler } from '../../apps/worker/src/handlers/import-customers/import-customers.handler.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { startJobsApp } from '../support/jobs-app.js';
import { schemaFaults } from '../support/open-api.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { testDatabases } from '../support/shop-database.js';
import { folderStorage } from '../support/stored-files.js';

const CSV = 'email,name\nada@example.com,Ada\n';
const MOST_BYTES = 300_000;
const keyPrefix = newKeyPrefix();

interface Sent {
  readonly csv?: string | Buffer;
  readonly fields?: Readonly<Record<string, string>>;
  readonly key?: string;
}

describe('an upload to import', () => {
  const databases = testDatabases('SQLite');
  let files: Awaited<ReturnType<typeof folderStorage>>;
  let database: Awaited<ReturnType<typeof databases.migrated>>;
  let api: TestApi;

  beforeAll(async () => {
    files = await folderStorage();
    database = await databases.migrated();
    api = await startTestApi({
      KEY_PREFIX: keyPrefix,
      DATABASE_URL: database.url,
      STORAGE_URL: files.url,
      MAX_UPLOAD_BYTES: String(MOST_BYTES),
    });
  });

  afterAll(async () => {
    await api.close();
    await files.remove();
  });

  const stored = async (): Promise<readonly string[]> => {
    const names: string[] = [];
    for await (const name of files.storage.list()) names.push(name);
    return names;
  };
  const post = ({ csv = CSV, fields = { user_id: 'ana' }, key }: Sent = {}) => {
    const request = api.http.post('/imports');
    if (key !== undefined) void request.set('Idempotency-Key', key);
    return request.field(fields).attach('file', Buffer.from(csv), 'customers.csv');
  };
  /** Nothing of a refused upload is left, also not a part of it. */
  async function refused(send: () => PromiseLike<{ readonly status: number; readonly body: unknown }>) {
    const before = [await stored(), await api.countKeys()];
    const { status, body } = await send();
    expect([await stored(), await api.countKeys()]).toEqual(before);
    expect(await files.leftovers()).toEqual([]);
    expect(schemaFaults('Problem', body)).toEqual([]);
    const { code, errors } = body as { readonly code: string; readonly errors: readonly { readonly pointer?: string }[] };
    return { status, code, pointers: errors.map(({ pointer }) => pointer) };
  }

  it('is stored in the folder of its job, as it is, and answered with the job', async () => {
    const bytes = Buffer.alloc(MOST_BYTES, 'é\n');
    const answer = await post({ csv: bytes });
    const { job_id: jobId } = answer.body as { readonly job_id: string };
    expect(answer).toMatchObject({ status: 202, headers: { location: `/jobs/${jobId}` } });
    const ulid = jobId.slice('import.customers_'.length).toLowerCase();
    const fileKey = `jobs/import.customers/${ulid}/upload.csv`;
    expect((await readFile(join(files.root, fileKey))).equals(bytes)).toBe(true);
    expect((await api.http.get(`/jobs/${jobId}`)).body).toMatchObject({
      type: 'import.customers',
      user_id: 'ana',
      payload: { file_key: fileKey, user_id: 'ana' },
    });
    const view = await api.http.get(`/imports/${jobId}`);
    expect(schemaFaults('ImportView', view.body)).toEqual([]);
    expect(view.body).toEqual({
      ...{ job_id: jobId, status: 'queued', user_id: 'ana', read: 0, imported: 0, updated: 0, rejected: 0 },
      ...{ bytes_read: 0, bytes_total: 0, rejects_url: null, finished_at: null },
    });
  });

  it('may have its fields behind its file', async () => {
    const answer = await api.http
      .post('/imports')
      .attach('file', Buffer.from(CSV), 'c.csv')
      .field({ user_id: 'ben', charset: 'windows-1252' });
    const { job_id: jobId } = answer.body as { readonly job_id: string };
    expect((await api.http.get(`/jobs/${jobId}`)).body).toMatchObject({ payload: { user_id: 'ben', charset: 'windows-1252' } });
  });

  it('with an Idempotency-Key is taken once, and refused with another file or other fields', async () => {
    const first = await post({ key: 'k1' });
    expect(first.status).toBe(202);
    const kept = await stored();
    const again = await post({ key: 'k1' });
    expect(again).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } });
    expect(again.body).toEqual(first.body);
    expect(await stored()).toEqual(kept);
    for (const other of [{ csv: `${CSV}bob@example.com,Bob\n` }, { fields: { user_id: 'eve' } }]) {
      expect(await post({ ...other, key: 'k1' })).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      expect(await stored()).toEqual(kept);
    }
  });

  it.each([
    ['no owner', () => post({ fields: {} }), 'invalid_request', ['#/user_id']],
    ['an owner that is none', () => post({ fields: { user_id: 'a\u0007' } }), 'invalid_payload', ['#/user_id']],
    ['an owner that no text may hold', () => post({ fields: { user_id: 'a\0b' } }), 'invalid_payload', ['#/user_id']],
    ['an owner of many words', () => post({ fields: { user_id: 'a'.repeat(129) } }), 'invalid_payload', ['#/user_id']],
    ['a charset that is none', () => post({ fields: { user_id: 'a', charset: '?' } }), 'invalid_payload', ['#/charset']],
    [
      'a field that is not known',
      () => post({ fields: { user_id: 'a', file_key: 'jobs/x' } }),
      'invalid_request',
      ['#/file_key'],
    ],
    ['a field of many words', () => post({ fields: { user_id: 'a'.repeat(5_000) } }), 'invalid_request', ['#/user_id']],
    ['a field twice', () => post().field('user_id', 'ben'), 'invalid_request', ['#/user_id']],
    ['no file', () => api.http.post('/imports').field({ user_id: 'a' }), 'invalid_request', ['#/file']],
    ['its file as a text', () => api.http.post('/imports').field({ user_id: 'a', file: CSV }), 'invalid_request', ['#/file']],
    ['two files', () => post().attach('file', Buffer.from(CSV), 'more.csv'), 'invalid_request', ['#/file']],
    ['a file of another name', () => post().attach('more', Buffer.from(CSV), 'more.csv'), 'invalid_request', ['#/more']],
  ])('is refused for %s, and leaves nothing', async (_what, send, code, pointers) => {
    expect(await refused(send)).toEqual({ status: 400, code, pointers });
  });

  it.each([
    ['a little', MOST_BYTES + 1],
    ['far', 3_000_000],
  ])('is refused %s past the limit, and leaves nothing', async (_how, bytes) => {
    const answer = await refused(() => post({ csv: Buffer.alloc(bytes) }));
    expect(answer).toEqual({ status: 413, code: 'payload_too_large', pointers: ['#/file'] });
  });

  it.each(['text/csv', 'multipart/mixed; boundary=x'])('is refused as %s', async (type) => {
    const answer = await refused(() => api.http.post('/imports').set('Content-Type', type).send('{"user_id":"ana"}'));
    expect(answer).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  describe('that brings no file but names one', () => {
    const FILE = parseStorageName('uploads/shop-1/customers.csv');
    const send = (body: object, headers: Readonly<Record<string, string>> = {}) =>
      api.http.post('/imports').set(headers).send(body);

    beforeAll(async () => {
      await files.seed([FILE, 'jobs/import.customers/01jdvz8xq4t4y8q7m5k3n2p1r0/upload.csv', 'orders/1/invoice.pdf']);
      await symlink(join(files.root, 'orders/1/invoice.pdf'), join(files.root, 'uploads/link.csv'));
    });

    it('is answered with the job that reads it, where it lies', async () => {
      const payload = { file_key: FILE, user_id: 'ana', charset: 'utf-16le' };
      const answer = await send(payload);
      const { job_id: jobId } = answer.body as { readonly job_id: string };
      expect(answer).toMatchObject({ status: 202, headers: { location: `/jobs/${jobId}` } });
      const job = await api.http.get(`/jobs/${jobId}`);
      expect(job.body).toMatchObject({ type: 'import.customers', user_id: 'ana', payload });
      expect((await api.http.get(`/imports/${jobId}`)).body).toMatchObject({ status: 'queued', user_id: 'ana' });
    });

    it('with an Idempotency-Key is taken once, and refused with another name or other fields', async () => {
      const [key, body] = [{ 'Idempotency-Key': 'named' }, { file_key: FILE, user_id: 'ana' }];
      const first = await send(body, key);
      const again = await send({ user_id: 'ana', file_key: FILE }, key);
      expect(again).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } });
      expect(again.body).toEqual(first.body);
      await files.seed(['uploads/other.csv']);
      for (const other of [{ file_key: 'uploads/other.csv' }, { user_id: 'eve' }, { charset: 'utf-8' }]) {
        expect(await send({ ...body, ...other }, key)).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      }
      expect(await post({ key: 'named' })).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
    });

    it('with an Idempotency-Key gets its first answer again also when the file was deleted meanwhile', async () => {
      const [key, body] = [{ 'Idempotency-Key': 'gone' }, { file_key: 'uploads/gone.csv', user_id: 'ana' }];
      expect(await send(body, key)).toMatchObject({ status: 422, body: { code: 'file_not_found' } });
      await files.seed([body.file_key]);
      const first = await send(body, key);
      expect(first.status).toBe(202);
      await rm(join(files.root, body.file_key));
      const again = await send(body, key);
      expect(again).toMatchObject({ status: 202, headers: { 'idempotent-replayed': 'true' } });
      expect(again.body).toEqual(first.body);
      const other = await send({ ...body, user_id: 'eve' }, key);
      expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused' } });
      expect(await send(body)).toMatchObject({ status: 422, body: { code: 'file_not_found' } });
    });

    it.each([
      ['nobody has put there', { file_key: 'uploads/none.csv' }, 422, 'file_not_found', '#/file_key'],
      ['is a folder', { file_key: 'uploads/shop-1' }, 422, 'file_not_found', '#/file_key'],
      ['is a link to another', { file_key: 'uploads/link.csv' }, 422, 'file_not_found', '#/file_key'],
      [
        'an upload of others',
        { file_key: 'jobs/import.customers/01jdvz8xq4t4y8q7m5k3n2p1r0/upload.csv' },
        400,
        'invalid_request',
        '#/file_key',
      ],
      ['an order has', { file_key: 'orders/1/invoice.pdf' }, 400, 'invalid_request', '#/file_key'],
      ['leads out', { file_key: 'uploads/../orders/1/invoice.pdf' }, 400, 'invalid_request', '#/file_key'],
      ['has no name of ours', { file_key: 'uploads/Customers.csv' }, 400, 'invalid_request', '#/file_key'],
      ['is no text', { file_key: 1 }, 400, 'invalid_request', '#/file_key'],
      ['has no owner', { user_id: undefined }, 400, 'invalid_request', '#/user_id'],
      ['has an owner that is none', { user_id: 'a\u0007' }, 400, 'invalid_payload', '#/user_id'],
      ['has an owner of many words', { user_id: 'a'.repeat(129) }, 400, 'invalid_payload', '#/user_id'],
      ['has a charset that is none', { charset: '?' }, 400, 'invalid_payload', '#/charset'],
      ['comes with a field that is not known', { file: 'x' }, 400, 'invalid_request', '#/file'],
    ])('is refused for a file that %s', async (_what, fields, status, code, pointer) => {
      const body = { file_key: FILE, user_id: 'ana', ...fields };
      expect(await refused(() => send(body))).toEqual({ status, code, pointers: [pointer] });
    });

    it('is refused where it is no JSON object, and where nobody can read its letters', async () => {
      for (const body of ['', '[]', '{"file_key":']) {
        const answer = await refused(() => api.http.post('/imports').set('Content-Type', 'application/json').send(body));
        expect(answer).toMatchObject({ status: 400, code: 'invalid_json' });
      }
      const latin = await refused(() =>
        api.http.post('/imports').set('Content-Type', 'application/json; charset=latin1').send('{}'),
      );
      expect(latin).toMatchObject({ status: 415, code: 'unsupported_media_type' });
    });
  });

  const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\nContent-Type: text/csv\r\n\r\n';

  it.each([
    ['without a boundary', 'multipart/form-data', `${HEAD}${CSV}\r\n--x--\r\n`],
    ['without its end', 'multipart/form-data; boundary=x', `${HEAD}${CSV}`],
    ['with a broken part', 'multipart/form-data; boundary=x', '--x\r\nnonsense\r\n\r\n--x--'],
    ['empty', 'multipart/form-data; boundary=x', ''],
  ])('is refused when it is %s', async (_how, type, body) => {
    expect(await refused(() => api.http.post('/imports').set('Content-Type', type).send(body))).toMatchObject({ status: 400 });
  });

  it('leaves nothing when its client goes away in the middle', async () => {
    const before = [await stored(), await api.countKeys()];
    const { hostname, port } = new URL(api.url);
    const socket = connect(Number(port), hostname);
    const head = ['POST /imports HTTP/1.1', 'Host: x', 'Content-Type: multipart/form-data; boundary=x', 'Content-Length: 200000'];
    socket.write(`${head.join('\r\n')}\r\n\r\n${HEAD}${'a'.repeat(100_000)}`);
    await eventually(async () => {
      expect(await files.leftovers()).toHaveLength(1);
    });
    socket.destroy();
    await eventually(async () => {
      expect(await files.leftovers()).toEqual([]);
    });
    expect([await stored(), await api.countKeys()]).toEqual(before);
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
  });

  it('is imported, and tells how far it came and which rows it left out', async () => {
    const worker = await startJobsApp(
      catalog,
      [
        ImportCustomersHandler,
        Customers,
        Imports,
        { provide: Database, useValue: database.database },
        { provide: Storage, useValue: files.storage },
      ],
      { keyPrefix, types: [ImportCustomers.type] },
    );
    try {
      const csv = 'email,name\nada@example.com,Ada\n=cmd|calc,"B, jr"\nada@example.com,Ada L\n';
      const answer = await post({ csv }).set('Prefer', 'wait=20');
      expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' } });
      const { job_id: jobId, finished_at } = answer.body as { readonly job_id: string; readonly finished_at: string };
      const view = await api.http.get(`/imports/${jobId}`);
      expect(view.body).toMatchObject({ status: 'succeeded', user_id: 'ana', read: 3, rejected: 1, finished_at });
      expect(view.body).toMatchObject({
        bytes_read: csv.length,
        bytes_total: csv.length,
        rejects_url: `/imports/${jobId}/rejects`,
      });
      const head = await api.http.head(`/imports/${jobId}/rejects`);
      expect(head).toMatchObject({ status: 200, headers: { 'content-type': 'text/csv; charset=utf-8' } });
      const rejects = await api.http.get(`/imports/${jobId}/rejects`);
      expect(rejects.headers).toMatchObject({
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': expect.stringContaining(`filename="${jobId}-rejects.csv"`) as string,
      });
      expect(rejects.text).toMatch(/^line,column,reason,row\r\n3,email,[^\r]+,"'=cmd\|calc,""B, jr"""\r\n$/);
    } finally {
      await worker.close();
    }
  });

  it('is not found under the id of another job, or of none', async () => {
    const mail = await api.http.post('/jobs').send({ type: 'email.send', payload: { to: 'a@example.com', template: 'welcome' } });
    for (const id of [(mail.body as { readonly job_id: string }).job_id, 'import.customers_01J8PP1PKH282P1K2YVH454RJD', 'x']) {
      for (const path of [`/imports/${id}`, `/imports/${id}/rejects`]) {
        expect(await api.http.get(path)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
      }
    }
  });
});

describe('an upload to an api whose Redis is not there', () => {
  it('is answered with 503, and leaves no file', async () => {
    const files = await folderStorage();
    const api = await startTestApi({ REDIS_URL: `redis://127.0.0.1:${await freePort()}`, STORAGE_URL: files.url });
    try {
      const answer = await api.http.post('/imports').field({ user_id: 'a' }).attach('file', Buffer.from(CSV), 'c.csv');
      expect(answer).toMatchObject({ status: 503, body: { code: 'queue_unavailable', outcome: 'not_written' } });
      for await (const name of files.storage.list()) throw new Error(`${name} was left.`);
    } finally {
      await api.close();
      await files.remove();
    }
  });
});

describe('an upload to an api with keys', () => {
  it('is not read without the scope submit', async () => {
    const hash = createHash('sha256').update('reader').digest('hex');
    const files = await folderStorage();
    const api = await startTestApi({ API_KEYS: `reader:${hash}:read`, STORAGE_URL: files.url });
    try {
      const answer = await api.http
        .post('/imports')
        .set('Authorization', 'Bearer reader')
        .field({ user_id: 'a' })
        .attach('file', Buffer.from(CSV), 'c.csv');
      expect(answer.status).toBe(403);
      expect(await files.leftovers()).toEqual([]);
    } finally {
      await api.close();
      await files.remove();
    }
  });
});
