import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  STOLEN,
  THIEF,
  UNLUCKY,
  newReport,
  startDocumentStage,
  type DocumentStage,
  type MadeDocument,
} from '../support/document-stage.js';
import { eventually } from '../support/eventually.js';
import { schemaFaults } from '../support/open-api.js';
import { folderStorage } from '../support/stored-files.js';

const CSV = Buffer.from('id,name\r\n1,Zoë\r\n');
const HOUR = 3_600_000;

describe('a report or an export', () => {
  let stage: DocumentStage;
  const http = () => stage.api.http;

  beforeAll(async () => {
    const env = { RETENTION_SEC: '3600', PUBLIC_URL: 'https://example.com/queue/' };
    stage = await startDocumentStage(await folderStorage(), '', env);
  });

  afterAll(() => stage.close());

  it('is accepted once: asked for again, also as any job, it is the one that there is', async () => {
    for (const [path, type, payload] of [
      ['/reports', 'report.generate', newReport({ from: '2026-01-01T00:00:00.000Z' })],
      ['/exports', 'export.generate', { user_id: 'ana', format: 'json' }],
    ] as const) {
      const first = await http().post(path).send(payload);
      expect(first).toMatchObject({ status: 202, body: { type, deduplicated: false } });
      expect(schemaFaults('SubmittedJobView', first.body)).toEqual([]);
      const { job_id } = first.body as MadeDocument;
      expect(first.headers['location']).toBe(`/queue/jobs/${job_id}`);
      expect((await http().get(`/jobs/${job_id}`)).body).toMatchObject({ user_id: payload.user_id, payload });
      expect((await http().post(path).send(payload)).body).toMatchObject({ job_id, deduplicated: true });
      expect((await http().post('/jobs').send({ type, payload })).body).toMatchObject({ job_id, deduplicated: true });
    }
  });

  it('with an Idempotency-Key is answered as it was first', async () => {
    const body = newReport();
    const first = await http().post('/reports').set('Idempotency-Key', 'one').send(body);
    const again = await http().post('/reports').set('Idempotency-Key', 'one').send(body);
    expect(again).toMatchObject({ status: 202, body: first.body as object, headers: { 'idempotent-replayed': 'true' } });
    expect(await http().post('/reports').set('Idempotency-Key', 'one').send(newReport())).toMatchObject({ status: 422 });
  });

  it.each<readonly [string, object, readonly string[]]>([
    ['/reports', { report: 'items', format: 'xlsx', user_id: '' }, ['#/format', '#/report', '#/user_id']],
    ['/reports', newReport({ from: 'yesterday', to: '2026-01-01' }), ['#/from', '#/to']],
    ['/reports', newReport({ user_id: 'a\nb' }), ['#/user_id']],
    ['/exports', { format: 'csv', to: 'x' }, ['#/to', '#/user_id']],
    ['/exports', { format: 'csv', user_id: { name: 'ana' } }, ['#/user_id']],
  ])('at %s is refused with every fault: %j', async (path, body, pointers) => {
    const answer = await http().post(path).send(body);
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_payload' } });
    const { errors } = answer.body as { readonly errors: readonly { readonly pointer: string }[] };
    expect([...new Set(errors.map(({ pointer }) => pointer))].toSorted()).toEqual(pointers);
  });

  it('says where it is, with the path that clients know the api by', async () => {
    const { job_id, result } = await stage.made(CSV);
    expect(result.url).toBe(`/queue/reports/${job_id}`);
    expect((await http().get(`/jobs/${job_id}`)).body).toMatchObject({ result: { url: result.url, rows: 2 } });
    const exported = await http().post('/exports').set('Prefer', 'wait=20').send({ user_id: 'bob', format: 'json' });
    const { job_id: id, result: at } = exported.body as MadeDocument;
    expect(at.url).toBe(`/queue/exports/${id}`);
    const file = await http().head(`/exports/${id}`);
    expect(file.status).toBe(200);
    expect(file.headers['content-type']).toMatch(/^application\/json/);
  });

  it('is not there yet while its job waits, and never when that is cancelled', async () => {
    const later = async (options: object): Promise<string> => {
      const answer = await http().post('/jobs').send({ type: 'report.generate', payload: newReport(), options });
      return (answer.body as MadeDocument).job_id;
    };
    const soon = await later({ delay_sec: 20 });
    const answer = await http().get(`/reports/${soon}`).set('Accept', 'text/csv');
    expect(answer).toMatchObject({ status: 202, body: { job_id: soon, status: 'scheduled', result: null } });
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(2);
    expect(schemaFaults('JobView', answer.body)).toEqual([]);
    expect((await http().head(`/reports/${soon}`)).status).toBe(202);
    const tomorrow = await later({ delay_sec: 86_400 });
    expect((await http().get(`/reports/${tomorrow}`)).headers).toMatchObject({ 'retry-after': '60' });

    await http().post(`/jobs/${soon}/cancel`).send();
    const cancelled = await http().get(`/reports/${soon}`);
    expect(cancelled).toMatchObject({ status: 409, body: { code: 'file_not_made', job_id: soon, job_status: 'cancelled' } });
    expect(schemaFaults('JobProblem', cancelled.body)).toEqual([]);
  });

  it('has no file when its job failed, and says why', async () => {
    const submitted = await http()
      .post('/reports')
      .set('Prefer', 'wait=20')
      .send(newReport({ user_id: UNLUCKY }));
    const { job_id } = submitted.body as MadeDocument;
    expect(await http().get(`/reports/${job_id}`)).toMatchObject({
      status: 409,
      body: {
        code: 'file_not_made',
        job_status: 'failed',
        links: { self: `/queue/jobs/${job_id}` },
        detail: expect.stringContaining('its job failed: The table is gone. Ask for it anew') as string,
      },
    });
  });

  it('whose file was removed is made again when it is asked for anew, by one job for all who ask', async () => {
    const body = newReport();
    const { job_id, result } = await stage.made(CSV, body);
    expect((await http().post('/reports').send(body)).body).toMatchObject({ job_id, status: 'succeeded' });
    await stage.files.storage.delete(result.file_key);
    const gone = await http().get(`/reports/${job_id}`);
    expect(gone).toMatchObject({ status: 410, body: { code: 'file_gone', job_status: 'succeeded' } });
    expect((gone.body as { readonly detail: string }).detail).toContain('Ask for it anew (POST /reports).');
    const asked = await Promise.all([1, 2, 3].map(() => http().post('/reports').set('Prefer', 'wait=20').send(body)));
    for (const answer of asked) expect(answer).toMatchObject({ status: 200, body: { job_id, status: 'succeeded', replays: 1 } });
    expect((await http().get(`/reports/${job_id}`)).text).toBe(CSV.toString());
  });

  it('is not found under the id of none, or of another kind', async () => {
    const { job_id } = await stage.made(CSV);
    const never = 'report.generate_01J8PP1PKH282P1K2YVH454RJD';
    for (const path of [`/exports/${job_id}`, `/reports/${never}`, `/reports/${job_id.slice(0, -4)}0000`, '/reports/x']) {
      expect(await http().get(path)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
    }
    expect(await http().post(`/reports/${job_id}`).send({})).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
  });

  it('is gone, for a year, when its id is older than what is kept', async () => {
    const idOf = (age: number): string => `report.generate_${ulidAt(Date.now() - age)}`;
    for (const job_id of [1.01 * HOUR, 364 * 24 * HOUR].map(idOf)) {
      const answer = await http().get(`/reports/${job_id}`);
      expect(answer).toMatchObject({ status: 410, body: { code: 'file_gone', job_id, job_status: null } });
      expect(schemaFaults('JobProblem', answer.body)).toEqual([]);
      expect((await http().get(`/exports/${job_id}`)).status).toBe(404);
    }
    for (const jobId of [-HOUR, 0, 0.99 * HOUR, 366 * 24 * HOUR].map(idOf)) {
      expect((await http().get(`/reports/${jobId}`)).status).toBe(404);
    }
  });

  it('is none of the other files, whatever its result names', async () => {
    await stage.files.storage.write(STOLEN, Readable.from([Buffer.from('secret')]));
    const { job_id } = await stage.made(CSV, newReport({ user_id: THIEF }));
    const answer = await http().get(`/reports/${job_id}`);
    expect(answer).toMatchObject({ status: 500, body: { code: 'internal_error' } });
    expect(answer.text).not.toContain('secret');
  });
});

describe('an api with keys', () => {
  it('takes reports for the scope submit, and hands them out for the scope read', async () => {
    const hash = (key: string): string => createHash('sha256').update(key).digest('hex');
    const env = { API_KEYS: `s:${hash('submitter')}:submit,r:${hash('reader')}:read` };
    const { api, close } = await startDocumentStage(await folderStorage(), '', env);
    try {
      const submit = (headers: Readonly<Record<string, string>>) => api.http.post('/reports').set(headers).send(newReport());
      const [submitter, reader] = ['submitter', 'reader'].map((key) => ({ Authorization: `Bearer ${key}` }));
      expect((await submit({})).status).toBe(401);
      expect((await submit({ ...reader })).status).toBe(403);
      const accepted = await submit({ ...submitter });
      expect(accepted.status).toBe(202);
      const path = `/reports/${(accepted.body as MadeDocument).job_id}`;
      expect((await api.http.get(path).set({ ...submitter })).status).toBe(403);
      await eventually(async () => {
        expect((await api.http.get(path).set({ ...reader })).status).toBe(200);
      });
    } finally {
      await close();
    }
  });
});

function ulidAt(time: number): string {
  const digits = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
  const stamp = Array.from({ length: 10 }, (_, place) => digits[Math.floor(time / 32 ** (9 - place)) % 32]);
  return `${stamp.join('')}0000000000000000`;
}
