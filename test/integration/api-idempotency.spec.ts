import { createHash } from 'node:crypto';
import { SendEmail } from '@antrean/catalog';
import { JobHandler, type Handles } from '@antrean/jobs';
import type { SubmittedJobView } from '../../apps/api/src/jobs/submitted-job.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { startJobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { sendRaw } from '../support/raw-http.js';
import { schemaFaults } from '../support/open-api.js';

@JobHandler(SendEmail)
class SendHandler implements Handles<typeof SendEmail> {
  handle(): string {
    return 'sent';
  }
}

const payload = { to: 'budi@example.com', template: 'welcome' };
const job = { type: 'email.send', payload };
interface Request {
  readonly body?: object;
  readonly path?: string;
  readonly by?: string;
  readonly api?: number;
}

const keyPrefix = newKeyPrefix();
const keyOf = (name: string) => `${name}:${createHash('sha256').update(name).digest('hex')}:submit+read`;

describe('a submit with an Idempotency-Key', () => {
  let apis: readonly TestApi[];

  beforeAll(async () => {
    const env = { KEY_PREFIX: keyPrefix, API_KEYS: ['one', 'other'].map(keyOf).join(',') };
    apis = await Promise.all([startTestApi(env), startTestApi(env), startTestApi(env)]);
  });

  afterAll(async () => {
    await Promise.all(apis.map((api) => api.close()));
  });

  async function post(key: string, { body = job, path = '/jobs', by = 'one', api = 0 }: Request = {}) {
    const request = apis[api]?.http.post(path).set('Authorization', `Bearer ${by}`).set('Idempotency-Key', key);
    const answer = await request?.send(body);
    if (answer === undefined) throw new Error('There is no such api.');
    const { status, headers, text } = answer;
    return { status, text, replayed: headers['idempotent-replayed'] as unknown, body: answer.body as SubmittedJobView };
  }

  it('is answered as it was first, by every process', async () => {
    const first = await post('k1');
    expect({ status: first.status, replayed: first.replayed }).toEqual({ status: 202, replayed: undefined });
    expect(await post('"k1"', { api: 1 })).toEqual({ ...first, replayed: 'true' });
  });

  it('makes one job of 500 at once over three processes', async () => {
    const answers = await Promise.all(Array.from({ length: 500 }, (_, n) => post('at-once', { api: n % 3 })));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === undefined)).toHaveLength(1);
  });

  it('is answered the same when its job has ended, and is gone', async () => {
    const first = await post('k2');
    const worker = await startJobsApp([SendEmail], [SendHandler], { keyPrefix, retentionMs: 600_000 });
    try {
      await worker.until(first.body.job_id, ({ status }) => status === 'succeeded');
      expect(await post('k2')).toEqual({ ...first, replayed: 'true' });
      await worker.control.remove(first.body.job_id);
      expect(await post('k2')).toEqual({ ...first, replayed: 'true' });
    } finally {
      await worker.close();
    }
  });

  it('is refused with another body', async () => {
    const first = await post('k3');
    const other = await post('k3', { body: { ...job, options: { priority: 9 } } });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', job_id: first.body.job_id } });
    expect(schemaFaults('KeyReusedProblem', other.body)).toEqual([]);
    expect((await post('k3')).body).toEqual(first.body);
  });

  it('is the same request however its JSON is written', async () => {
    const send = (text: string) =>
      apis[0]?.http
        .post('/jobs')
        .set({ Authorization: 'Bearer one', 'Idempotency-Key': 'k8', 'Content-Type': 'application/json' })
        .send(text);
    const to = '"to":"budi@example.com"';
    const first = await send(
      `{"type":"email.send","payload":{${to},"template":"welcome","variables":{"a":1,"b":"A"}},"options":{"metadata":{"x":"1","y":"2"},"priority":3}}`,
    );
    const again = await send(
      `{"options": {"priority": 3.0, "metadata": {"y":"2","x":"1"}}, "payload": {"variables":{"b":"\\u0041","a":1.0},"template":"welcome",${to}}, "type": "email.send"}`,
    );
    expect(first?.status).toBe(202);
    expect(again?.headers['idempotent-replayed']).toBe('true');
    expect(again?.body).toEqual(first?.body);
    expect((await send(`{"type":"email.send","payload":{${to},"template":"welcome","variables":{"a":2,"b":"A"}}}`))?.status).toBe(
      422,
    );
  });

  it('belongs to its principal, its path and its type', async () => {
    const answers = [
      await post('k4'),
      await post('k4', { by: 'other' }),
      await post('k4', { path: '/jobs/email', body: payload }),
    ];
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    expect(new Set(answers.map(({ body }) => body.job_id)).size).toBe(3);
  });

  it('keeps the answer to a duplicate, and none to a faulty body', async () => {
    const held = { ...job, options: { dedupe_key: 'held' } };
    await post('k5', { body: held });
    const duplicate = await post('k6', { body: held });
    expect(duplicate).toMatchObject({ status: 409, replayed: undefined });
    const again = await post('k6', { body: held });
    expect(again).toMatchObject({ status: 409, replayed: 'true' });
    expect(again.body).toEqual(duplicate.body);

    expect((await post('k7', { body: { ...job, payload: { to: 'nobody' } } })).status).toBe(400);
    expect(await post('k7')).toMatchObject({ status: 202, replayed: undefined });
  });

  it('cannot have two keys', async () => {
    const body = JSON.stringify(job);
    const head = [
      'POST /jobs HTTP/1.1',
      'Host: x',
      'Authorization: Bearer one',
      'Content-Type: application/json',
      'Connection: close',
    ];
    const lines = [...head, `Content-Length: ${body.length}`, 'Idempotency-Key: a', 'Idempotency-Key: b'];
    const answer = await sendRaw(apis[0]?.url ?? '', `${lines.join('\r\n')}\r\n\r\n${body}`);
    expect({ status: answer.status, body: answer.body }).toEqual({
      status: 400,
      body: expect.stringContaining('must be one key') as string,
    });
  });

  it('is told what a key may be', async () => {
    expect(await post('x'.repeat(256))).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ header: 'Idempotency-Key' }] },
    });
  });
});
