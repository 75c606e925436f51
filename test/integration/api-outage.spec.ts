import { freePort } from '../support/free-port.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { schemaFaults } from '../support/open-api.js';
import { TestRedis } from '../support/test-redis.js';

const job = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };

describe('an api whose Redis is not there', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
  });

  afterAll(async () => {
    await api.close();
  });

  it.each([
    ['post', '/jobs'],
    ['get', '/jobs/email.send_01M8KZ529QERT1Z0QMV0JH9NB6'],
  ] as const)('answers %s %s with 503 within two seconds, and says when to come again', async (method, path) => {
    const startedAt = performance.now();
    const answer = await api.http[method](path).send(method === 'post' ? job : undefined);
    expect(performance.now() - startedAt).toBeLessThan(2_500);
    expect(answer.status).toBe(503);
    expect(answer.headers['retry-after']).toMatch(/^\d+$/);
    expect(schemaFaults('UnavailableProblem', answer.body)).toEqual([]);
    expect(answer.body).toMatchObject({ code: 'queue_unavailable', ...(method === 'post' && { outcome: 'not_written' }) });
    expect('outcome' in (answer.body as object)).toBe(method === 'post');
    expect(answer.text).not.toMatch(/redis|ECONN|127\.0\.0\.1|at \w+ \(/i);
  });

  it('still refuses bad input as such', async () => {
    expect((await api.http.post('/jobs').send({ ...job, type: 'nope' })).status).toBe(400);
  });

  it('is alive and ready, and says in its health what is wrong', async () => {
    expect((await api.http.get('/health/live')).status).toBe(200);
    expect((await api.http.get('/health/ready')).status).toBe(200);
    const answer = await api.http.get('/health');
    expect(schemaFaults('HealthView', answer.body)).toEqual([]);
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: 503,
      body: { status: 'error', error: { redis: { status: 'down', ping: false, detail: expect.any(String) as string } } },
    });
  });

  it('still gives its metrics, without the depths it cannot know', async () => {
    const { status, text } = await api.http.get('/metrics');
    expect(status).toBe(200);
    expect(text).toContain('antrean_jobs_submitted_total');
    expect(text).toContain('antrean_queue_up{type="email.send"} 0');
    expect(text).not.toContain('antrean_queue_jobs{');
  });
});

describe('an api whose Redis hangs', () => {
  it.each([
    ['post', 'cancel'],
    ['post', 'replay'],
    ['delete', ''],
  ] as const)('says of an act that it may have been carried out (%s %s)', async (method, act) => {
    const redis = await TestRedis.start();
    const api = await startTestApi({ REDIS_URL: redis.url });
    const submitted = await api.http.post('/jobs').send(job);
    redis.freeze();
    const answer = await api.http[method](`/jobs/${(submitted.body as { job_id: string }).job_id}/${act}`.replace(/\/$/, ''));
    expect(answer.status).toBe(503);
    expect(schemaFaults('UnavailableProblem', answer.body)).toEqual([]);
    expect(answer.body).toMatchObject({ code: 'queue_unavailable', outcome: 'unknown' });
    await redis.stop();
    await api.close();
  });
});
