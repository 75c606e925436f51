import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { SendEmail } from '@antrean/catalog';
import { JobHandler, PermanentError, type Handles, type JobContext } from '@antrean/jobs';
import type { JobView } from '../../apps/api/src/jobs/job.view.js';
import type { SubmittedJobView } from '../../apps/api/src/jobs/submitted-job.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { schemaFaults } from '../support/open-api.js';

@JobHandler(SendEmail)
class SendHandler implements Handles<typeof SendEmail> {
  async handle({ payload: { template }, signal }: JobContext<typeof SendEmail>): Promise<string> {
    if (template === 'hang') await once(signal, 'abort');
    if (template === 'fail') throw new PermanentError('no such template');
    return 'sent';
  }
}

const submission = (template: string, options = {}) => ({
  type: 'email.send',
  payload: { to: 'budi@example.com', template },
  options,
});

describe('a client that prefers to wait', () => {
  let api: TestApi;
  let worker: JobsApp;
  const keyPrefix = newKeyPrefix();

  beforeAll(async () => {
    [api, worker] = await Promise.all([
      startTestApi({ KEY_PREFIX: keyPrefix }),
      startJobsApp([SendEmail], [SendHandler], { keyPrefix, retentionMs: 600_000 }),
    ]);
  });

  afterAll(async () => {
    await Promise.all([api.close(), worker.close()]);
  });

  it.each([
    ['welcome', 'succeeded'],
    ['fail', 'failed'],
  ])('gets the finished job: %s %s', async (template, status) => {
    const answer = await api.http.post('/jobs').set('Prefer', 'wait=20').send(submission(template));
    expect({ status: answer.status, headers: answer.headers }).toMatchObject({
      status: 200,
      headers: { 'preference-applied': 'wait=20', location: `/jobs/${(answer.body as JobView).job_id}` },
    });
    expect(answer.headers['vary']).toContain('Prefer');
    expect(schemaFaults('JobView', answer.body)).toEqual([]);
    expect(answer.body).toMatchObject({ status });
  });

  it('gets 202 when the job has not ended in time', async () => {
    const answer = await api.http
      .post('/jobs')
      .set('Prefer', 'respond-async, wait=1')
      .send(submission('late', { delay_sec: 600 }));
    expect(answer.status).toBe(202);
    expect(answer.headers['preference-applied']).toBe('respond-async, wait=1');
    expect(schemaFaults('SubmittedJobView', answer.body)).toEqual([]);
    const { links } = answer.body as SubmittedJobView;
    const got = await api.http.get(links.self).set('Prefer', 'wait=1');
    expect({ status: got.status, applied: got.headers['preference-applied'] }).toEqual({ status: 200, applied: 'wait=1' });
    expect(got.body).toMatchObject({ status: 'scheduled' });
  });

  it('is told with 202 what the job is doing when the wait is over', async () => {
    const answer = await api.http.post('/jobs').set('Prefer', 'wait=1').send(submission('hang'));
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({ status: 202, body: { status: 'processing' } });
    await worker.control.cancel((answer.body as SubmittedJobView).job_id);
  });

  it('can wait for a job that was submitted before', async () => {
    const submitted = await api.http.post('/jobs').send(submission('welcome', { delay_sec: 1 }));
    const { links } = submitted.body as SubmittedJobView;
    const got = await api.http.get(links.self).set('Prefer', 'wait=20');
    expect(got.body).toMatchObject({ status: 'succeeded', result: 'sent' });
    expect((await api.http.get('/jobs/email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0').set('Prefer', 'wait=20')).status).toBe(404);
  });

  it('is not answered with the job when its key may not read', async () => {
    const keys = ['submit', 'submit+read'].map(
      (scopes, n) => `k${n}:${createHash('sha256').update(`key${n}`).digest('hex')}:${scopes}`,
    );
    const closed = await startTestApi({ KEY_PREFIX: keyPrefix, API_KEYS: keys.join(',') });
    try {
      const post = (key: string) =>
        closed.http.post('/jobs').set('Authorization', `Bearer ${key}`).set('Prefer', 'wait=20').send(submission('welcome'));
      const blind = await post('key0');
      expect({ status: blind.status, applied: blind.headers['preference-applied'] }).toEqual({ status: 202, applied: undefined });
      expect(schemaFaults('SubmittedJobView', blind.body)).toEqual([]);
      expect((await post('key1')).body).toMatchObject({ status: 'succeeded' });
    } finally {
      await closed.close();
    }
  });

  it('is waited for no longer once it is gone', async () => {
    const submitted = await api.http.post('/jobs').send(submission('late', { delay_sec: 600 }));
    const { job_id, links } = submitted.body as SubmittedJobView;
    const channel = worker.link.keys('email.send').ended(job_id.slice('email.send_'.length));
    // The number of those who listen for the end of the job.
    const listeners = async (): Promise<unknown> =>
      ((await worker.link.redis.call('PUBSUB', 'SHARDNUMSUB', channel)) as unknown[])[1];
    const client = new AbortController();
    const waiting = fetch(`${api.url}${links.self}`, { headers: { prefer: 'wait=60' }, signal: client.signal });
    await eventually(async () => {
      expect(await listeners()).toBe(1);
    });
    client.abort();
    await expect(waiting).rejects.toThrow();
    await eventually(async () => {
      expect(await listeners()).toBe(0);
    });
  });

  it('is answered at once when the process closes', async () => {
    const closing = await startTestApi({ KEY_PREFIX: keyPrefix });
    const before = (await worker.status.depth('email.send')).counts.scheduled;
    const began = performance.now();
    const waiting = closing.http
      .post('/jobs')
      .set('Prefer', 'wait=60')
      .send(submission('late', { delay_sec: 600 }));
    const answer = waiting.then(({ status }) => status);
    await eventually(async () => {
      const { counts } = await worker.status.depth('email.send');
      if (counts.scheduled === before) throw new Error('It was not submitted.');
    }, 10_000);
    await closing.close();
    expect(await answer).toBe(202);
    expect(performance.now() - began).toBeLessThan(15_000);
  });
});
