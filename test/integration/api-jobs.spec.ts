import type { JobView } from '../../apps/api/src/jobs/job.view.js';
import type { SubmittedJobView } from '../../apps/api/src/jobs/submitted-job.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { schemaFaults } from '../support/open-api.js';

const payload = { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi', n: 0.1, vip: true } };
const job = { type: 'email.send', payload };

const KEYS = [
  'job_id',
  'type',
  'payload_version',
  'status',
  'priority',
  'group',
  'user_id',
  'tags',
  'metadata',
  'payload',
  'attempt',
  'max_attempts',
  'crashes',
  'timeout_sec',
  'trace_id',
  'request_id',
  'created_at',
  'run_at',
  'started_at',
  'finished_at',
  'last_failed_at',
  'next_attempt_at',
  'expires_at',
  'cancel_requested_at',
  'progress',
  'result',
  'error',
  'error_code',
  'attempts',
  'waiting_on',
  'dedupe_key',
  'replays',
  'worker_id',
  'links',
];

describe('jobs over HTTP', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi();
  });

  afterAll(async () => {
    await api.close();
  });

  async function submit(body: object, path = '/jobs'): Promise<SubmittedJobView> {
    const answer = await api.http.post(path).send(body);
    expect(answer.status).toBe(202);
    expect(schemaFaults('SubmittedJobView', answer.body)).toEqual([]);
    const submitted = answer.body as SubmittedJobView;
    expect(answer.headers['location']).toBe(`/jobs/${submitted.job_id}`);
    return submitted;
  }

  async function read({ links }: SubmittedJobView): Promise<JobView> {
    const answer = await api.http.get(links.self);
    expect(answer.status).toBe(200);
    expect(schemaFaults('JobView', answer.body)).toEqual([]);
    return answer.body as JobView;
  }

  it('accepts a job and says where it is', async () => {
    const submitted = await submit(job);
    expect(submitted).toEqual({
      job_id: expect.stringMatching(/^email\.send_[0-9A-HJKMNP-TV-Z]{26}$/) as string,
      type: 'email.send',
      status: 'queued',
      trace_id: expect.stringMatching(/^[0-9a-f]{32}$/) as string,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
      deduplicated: false,
      links: { self: `/jobs/${submitted.job_id}` },
    });
  });

  it('shows a job with every key, null where nothing is set', async () => {
    const submitted = await submit(job);
    const shown = await read(submitted);
    expect(Object.keys(shown)).toEqual(KEYS);
    expect(shown).toMatchObject({
      job_id: submitted.job_id,
      payload,
      status: 'queued',
      attempt: 0,
      max_attempts: 5,
      timeout_sec: 60,
      trace_id: submitted.trace_id,
      created_at: submitted.created_at,
      run_at: submitted.created_at,
      attempts: [],
      group: null,
      result: null,
      error: null,
      waiting_on: { reason: 'no_worker', until: null },
      links: submitted.links,
    });
  });

  it('keeps every option', async () => {
    const options = {
      dedupe_key: 'options-kept',
      dedupe_policy: 'until_finished',
      priority: 9,
      max_attempts: 2,
      timeout_sec: 1.5,
      backoff: { type: 'fixed', base_sec: 3 },
      user_id: 'customer-42',
      tags: ['signup', 'de'],
      metadata: { source: 'test' },
      delay_sec: 120,
    };
    const shown = await read(await submit({ ...job, options }));
    expect(shown).toMatchObject({
      status: 'scheduled',
      dedupe_key: 'options-kept',
      priority: 9,
      max_attempts: 2,
      timeout_sec: 1.5,
      user_id: 'customer-42',
      tags: ['signup', 'de'],
      metadata: { source: 'test' },
      waiting_on: { reason: 'schedule', until: shown.run_at },
    });
    expect(Date.parse(shown.run_at) - Date.parse(shown.created_at)).toBe(120_000);
  });

  it('runs a job of the past now, and one of the future then', async () => {
    expect((await submit({ ...job, options: { run_at: '2001-01-01T00:00:00Z' } })).status).toBe('queued');
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const shown = await read(await submit({ ...job, options: { run_at: soon } }));
    expect({ status: shown.status, run_at: shown.run_at }).toEqual({ status: 'scheduled', run_at: soon });
  });

  it('gives back a payload unchanged', async () => {
    const variables = { text: 'ü 😀 "\\/', n: 0.30000000000000004, small: 5e-324, zero: 0, no: false };
    const shown = await read(await submit({ ...job, payload: { ...payload, variables } }));
    expect(shown.payload).toEqual({ ...payload, variables });
  });

  it('refuses a duplicate with 409, and names the holder', async () => {
    const options = { dedupe_key: 'twice' };
    const holder = await submit({ ...job, options });
    const before = await api.countKeys();
    const answer = await api.http.post('/jobs').send({ ...job, options });
    expect(answer.status).toBe(409);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(schemaFaults('JobProblem', answer.body)).toEqual([]);
    expect(answer.body).toMatchObject({
      code: 'duplicate_job',
      job_id: holder.job_id,
      job_status: 'queued',
      links: holder.links,
    });
    expect(await api.countKeys()).toBe(before);
  });

  it('answers a duplicate with the holder when asked to', async () => {
    const options = { dedupe_key: 'the-holder', on_duplicate: 'existing' };
    const holder = await submit({ ...job, options });
    expect(await submit({ ...job, options })).toEqual(Object.assign(holder, { deduplicated: true }));
  });

  it('takes a mail by its own path, its message key as dedupe key', async () => {
    const mail = { ...payload, message_key: 'welcome-budi' };
    const submitted = await submit(mail, '/jobs/email');
    expect(await read(submitted)).toMatchObject({ type: 'email.send', payload: mail, dedupe_key: 'welcome-budi' });
    const again = await api.http.post('/jobs/email').send(mail);
    expect({ status: again.status, body: again.body as object }).toMatchObject({
      status: 409,
      body: { job_id: submitted.job_id },
    });
    const byType = await api.http.post('/jobs').send({ type: 'email.send', payload: mail });
    expect({ status: byType.status, body: byType.body as object }).toMatchObject({
      status: 409,
      body: { job_id: submitted.job_id },
    });
  });

  it('makes one job of 50 equal mails at once', async () => {
    const mail = { ...payload, message_key: 'at-once' };
    const answers = await Promise.all(Array.from({ length: 50 }, () => api.http.post('/jobs/email').send(mail)));
    expect(answers.map(({ status }) => status).sort()).toEqual([202, ...Array.from({ length: 49 }, () => 409)]);
    expect(new Set(answers.map(({ body }) => (body as SubmittedJobView).job_id)).size).toBe(1);
  });

  it.each([
    'email.send',
    'email.send_',
    'email.send_01M8KZ529QERT1Z0QMV0JH9NB',
    'email.send_01M8KZ529QERT1Z0QMV0JH9NB6X',
    'email.send_01m8kz529qert1z0qmv0jh9nb6',
    'email.send_81M8KZ529QERT1Z0QMV0JH9NB6',
    'EMAIL.SEND_01M8KZ529QERT1Z0QMV0JH9NB6',
    'email.send_01M8KZ529QERT1Z0QMV0JH9NB6',
    'no.such-type_01M8KZ529QERT1Z0QMV0JH9NB6',
    '{x}_01M8KZ529QERT1Z0QMV0JH9NB6',
    '42',
    '..%2f..%2fetc',
    '%00',
    '%F0%9F%98%80',
    'x'.repeat(4_000),
  ])('knows no job %s', async (id) => {
    const answer = await api.http.get(`/jobs/${id}`);
    expect(answer.status).toBe(404);
    expect(answer.body).toMatchObject({ code: 'job_not_found' });
    expect(schemaFaults('Problem', answer.body)).toEqual([]);
  });

  it('answers 304 as long as nothing changed', async () => {
    const { links } = await submit(job);
    const { headers } = await api.http.get(links.self);
    const etag = headers['etag'] ?? '';
    expect(etag).toMatch(/^"[\w-]+"$/);
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api.http.get(links.self).set('If-None-Match', known);
      expect({ known, status: again.status, text: again.text, etag: again.headers['etag'] }).toEqual({
        known,
        status: 304,
        text: '',
        etag,
      });
    }
    expect((await api.http.get(links.self).set('If-None-Match', '"other"')).status).toBe(200);
  });

  it('answers HEAD as GET without the body', async () => {
    const { links } = await submit(job);
    const got = await api.http.get(links.self);
    const head = await api.http.head(links.self);
    expect(head.status).toBe(200);
    expect(head.text).toBeFalsy();
    expect(head.headers['etag']).toBe(got.headers['etag']);
    expect(head.headers['content-length']).toBe(got.headers['content-length']);
    expect((await api.http.head('/jobs/nope')).status).toBe(404);
  });

  it('continues the trace of the caller, and keeps the id of the request on the job', async () => {
    const answer = await api.http
      .post('/jobs')
      .set('traceparent', '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01')
      .set('tracestate', 'vendor=value')
      .set('X-Request-Id', 'order-42:1')
      .send(job);
    const submitted = answer.body as SubmittedJobView;
    expect(answer.headers['x-request-id']).toBe('order-42:1');
    expect(submitted.trace_id).toBe('0af7651916cd43dd8448eb211c80319c');
    expect(await read(submitted)).toMatchObject({ trace_id: submitted.trace_id, request_id: 'order-42:1' });
    expect(api.log).toContainEqual(
      expect.objectContaining({
        msg: 'request',
        method: 'POST',
        route: '/jobs',
        status: 202,
        request_id: 'order-42:1',
        trace_id: submitted.trace_id,
        job_id: submitted.job_id,
      }),
    );
  });

  it.each([
    ['00-00000000000000000000000000000000-b7ad6b7169203331-01'],
    ['00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01'],
    ['ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'],
    ['nonsense'],
  ])('replaces the invalid trace %s', async (traceparent) => {
    const answer = await api.http.post('/jobs').set('traceparent', traceparent).set('tracestate', '=,=').send(job);
    expect(answer.status).toBe(202);
    expect((answer.body as SubmittedJobView).trace_id).toMatch(/^(?!0{32}|0af7651916cd43dd8448eb211c80319c)[0-9a-f]{32}$/);
  });

  it.each(['x'.repeat(129), 'a b', 'a"b', '<script>'])('replaces the unsafe request id %s', async (requestId) => {
    const answer = await api.http.post('/jobs').set('X-Request-Id', requestId).send(job);
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('answers 500 for a record it cannot read, tells the client nothing, and the log everything', async () => {
    const { job_id, links } = await submit(job);
    await api.spoil(job_id);
    const answer = await api.http.get(links.self).set('X-Request-Id', 'spoilt');
    expect(answer.status).toBe(500);
    expect(schemaFaults('Problem', answer.body)).toEqual([]);
    expect(answer.body).toMatchObject({ code: 'internal_error', errors: [] });
    expect(answer.text).not.toMatch(/redis|at \w+ \(|\.ts|\.js/i);
    expect(api.log).toContainEqual(
      expect.objectContaining({
        level: 'error',
        msg: 'request failed unexpectedly',
        request_id: 'spoilt',
        err: expect.objectContaining({ stack: expect.any(String) as string }) as object,
      }),
    );
  });

  it('shows a job that waits behind one whose record cannot be read', async () => {
    const first = { ...job, options: { priority: 9 } };
    const spoilt = await submit(first);
    const behind = await submit(first);
    await api.spoil(spoilt.job_id);
    const answer = await api.http.get(behind.links.self);
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({ status: 200, body: { status: 'queued' } });
  });

  it('never logs a payload', async () => {
    await submit({ ...job, payload: { ...payload, variables: { secret: 'hunter2' } } });
    expect(JSON.stringify(api.log)).not.toContain('hunter2');
  });
});
