import { SendEmail } from '@antrean/catalog';
import { JobHandler, PermanentError, type Handles, type JobContext } from '@antrean/jobs';
import type { ChangedJobView } from '../../apps/api/src/jobs/changed-job.view.js';
import type { SubmittedJobView } from '../../apps/api/src/jobs/submitted-job.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { schemaFaults } from '../support/open-api.js';

/** Fails for good, or waits until it is told to stop. */
@JobHandler(SendEmail)
class TestHandler implements Handles<typeof SendEmail> {
  async handle({ payload, signal, log }: JobContext<typeof SendEmail>): Promise<unknown> {
    log.info('began', { template: payload.template });
    if (payload.template === 'wait')
      await new Promise((_, reject) => {
        signal.addEventListener('abort', () => {
          reject(new Error('stopped'));
        });
      });
    if (payload.template === 'fail') throw new PermanentError('no such template');
    return { template: payload.template };
  }
}

describe('acts on jobs over HTTP', () => {
  let api: TestApi;
  let worker: JobsApp;

  beforeAll(async () => {
    const keyPrefix = newKeyPrefix();
    [api, worker] = await Promise.all([
      startTestApi({ KEY_PREFIX: keyPrefix }),
      startJobsApp([SendEmail], [TestHandler], { keyPrefix, retentionMs: 600_000, deadRetentionMs: 600_000 }),
    ]);
  });

  afterAll(async () => {
    await Promise.all([api.close(), worker.close()]);
  });

  async function submit(template: string, options = {}): Promise<SubmittedJobView> {
    const body = { type: 'email.send', payload: { to: 'budi@example.com', template }, options };
    const answer = await api.http.post('/jobs').send(body);
    expect(answer.status).toBe(202);
    return answer.body as SubmittedJobView;
  }

  async function act(method: 'post' | 'delete', path: string, body?: object) {
    const request = api.http[method](path).set('X-Request-Id', 'act-1');
    const answer = await (body === undefined ? request : request.send(body));
    if (answer.status >= 400) expect(schemaFaults(answer.status === 409 ? 'JobProblem' : 'Problem', answer.body)).toEqual([]);
    else if (answer.status !== 204) expect(schemaFaults('ChangedJobView', answer.body)).toEqual([]);
    return { status: answer.status, body: answer.body as ChangedJobView & { code: string }, headers: answer.headers };
  }

  const untilStatus = (id: string, wanted: string) => worker.until(id, ({ status }) => status === wanted);

  it('cancel a waiting job at once', async () => {
    const { job_id, links } = await submit('wait', { delay_sec: 600 });
    expect(await act('post', `${links.self}/cancel`)).toMatchObject({
      status: 200,
      body: { job_id, type: 'email.send', status: 'cancelled', cancel_requested_at: null, replays: null, links },
    });
    expect((await worker.status.get(job_id))?.status).toBe('cancelled');
    expect(api.log).toContainEqual(
      expect.objectContaining({ msg: 'audit', audit: 'job.cancel', job_id, request_id: 'act-1', api_key: null }),
    );
    expect(await act('post', `${links.self}/cancel`)).toMatchObject({
      status: 409,
      body: { code: 'illegal_transition', job_id, job_status: 'cancelled', links },
    });
  });

  it('ask a running job to stop', async () => {
    const { job_id, links } = await submit('wait');
    await untilStatus(job_id, 'processing');
    const asked = await act('post', `${links.self}/cancel`, {});
    expect(asked).toMatchObject({ status: 202, body: { status: 'processing' } });
    expect(asked.body.cancel_requested_at).toMatch(/Z$/);
    // Asked again, it says since when, and nothing more was done.
    const again = await act('post', `${links.self}/cancel`);
    if (again.status === 202) expect(again.body).toEqual(asked.body);
    await untilStatus(job_id, 'cancelled');
    expect(api.log.filter((line) => line['audit'] === 'job.cancel' && line['job_id'] === job_id)).toHaveLength(1);
  });

  it('replay a dead letter, as it was or with another payload', async () => {
    const { job_id, links } = await submit('fail');
    await untilStatus(job_id, 'failed');
    const replayed = await act('post', `${links.self}/replay`);
    expect(replayed).toMatchObject({ status: 202, body: { status: 'queued', replays: 1 }, headers: { location: links.self } });
    await worker.until(job_id, ({ status, runs }) => status === 'failed' && runs.length === 2);
    const payload = { to: 'budi@example.com', template: 'good' };
    expect(await act('post', `${links.self}/replay`, { payload })).toMatchObject({ status: 202, body: { replays: 2 } });
    expect(await untilStatus(job_id, 'succeeded')).toMatchObject({ payload, result: { template: 'good' }, replays: 2 });
    expect(api.log).toContainEqual(expect.objectContaining({ audit: 'job.replay', job_id, replays: 2, payload_edited: true }));
  });

  it('refuse to replay what has not finished, or with a payload that does not fit', async () => {
    const waiting = await submit('wait', { delay_sec: 600 });
    expect(await act('post', `${waiting.links.self}/replay`)).toMatchObject({
      status: 409,
      body: { code: 'illegal_transition', job_status: 'scheduled' },
    });
    const { job_id, links } = await submit('fail');
    await untilStatus(job_id, 'failed');
    expect(await act('post', `${links.self}/replay`, { payload: { to: 'nobody' } })).toMatchObject({
      status: 400,
      body: {
        code: 'invalid_payload',
        errors: expect.arrayContaining([expect.objectContaining({ pointer: '#/payload/to' })]) as object,
      },
    });
    expect(await act('post', `${links.self}/replay`, { payload: 5, priority: 9 })).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer: '#/priority' }, { pointer: '#/payload' }] },
    });
    expect((await worker.status.get(job_id))?.status).toBe('failed');
  });

  it('refuse to replay a job whose dedupe key another holds, and name it', async () => {
    const options = { dedupe_key: 'held', dedupe_policy: 'until_finished' };
    const { job_id, links } = await submit('fail', options);
    await untilStatus(job_id, 'failed');
    const holder = await submit('wait', { ...options, delay_sec: 600 });
    expect(await act('post', `${links.self}/replay`)).toMatchObject({
      status: 409,
      body: { code: 'duplicate_job', job_id: holder.job_id, job_status: 'scheduled', links: holder.links },
    });
  });

  it('delete a finished job with all that belongs to it', async () => {
    const { job_id, links } = await submit('good');
    await untilStatus(job_id, 'succeeded');
    expect(await act('delete', links.self)).toMatchObject({ status: 204, body: {} });
    expect((await api.http.get(links.self)).status).toBe(404);
    expect(await act('delete', links.self)).toMatchObject({ status: 404, body: { code: 'job_not_found' } });
    expect(api.log).toContainEqual(expect.objectContaining({ audit: 'job.delete', job_id }));
    const waiting = await submit('wait', { delay_sec: 600 });
    expect(await act('delete', waiting.links.self)).toMatchObject({ status: 409, body: { code: 'illegal_transition' } });
  });

  it.each([
    ['post', '/jobs/nope/cancel', undefined, 404, 'job_not_found'],
    ['post', '/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0/cancel', undefined, 404, 'job_not_found'],
    ['post', '/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0/replay', undefined, 404, 'job_not_found'],
    ['post', '/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0/cancel', { force: true }, 400, 'invalid_request'],
    ['delete', '/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0', { force: true }, 400, 'invalid_request'],
  ] as const)('answer %s %s with %j by %i %s', async (method, path, body, status, code) => {
    expect(await act(method, path, body)).toMatchObject({ status, body: { code } });
  });

  it('name the methods that a job takes', async () => {
    const answer = await api.http.put('/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0');
    expect({ status: answer.status, allow: answer.headers['allow'] }).toEqual({ status: 405, allow: 'DELETE, GET, HEAD' });
  });

  it('show what the handler logged', async () => {
    const { job_id, links } = await submit('good');
    await untilStatus(job_id, 'succeeded');
    const answer = await api.http.get(`${links.self}/logs`);
    expect(answer.status).toBe(200);
    expect(schemaFaults('JobLogsView', answer.body)).toEqual([]);
    expect(answer.body).toEqual({
      data: [{ at: expect.any(String) as string, level: 'info', attempt: 1, message: 'began', fields: { template: 'good' } }],
      next_cursor: null,
    });
    const silent = await submit('wait', { delay_sec: 600 });
    expect((await api.http.get(`${silent.links.self}/logs`)).body).toEqual({ data: [], next_cursor: null });
    expect((await api.http.get('/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0/logs')).status).toBe(404);
  });
});
