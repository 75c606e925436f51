import { eventually } from './eventually.js';
import type { TestApi } from './api-app.js';

const job = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };

/** The api answers a submit in time with 503, and says when to come again. */
export async function expectUnavailable(api: TestApi, problem: { readonly outcome?: string } = {}): Promise<void> {
  const askedAt = performance.now();
  const answer = await api.http.post('/jobs').send(job);
  // Two seconds are the promise, the rest is for a busy machine.
  expect(performance.now() - askedAt).toBeLessThan(3_000);
  expect(answer.status).toBe(503);
  expect(answer.headers['retry-after']).toMatch(/^\d+$/);
  expect(answer.body).toMatchObject({ ...problem, code: 'queue_unavailable', job_id: expect.any(String) as string });
}

/** It takes jobs, or does so before long. */
export async function untilAccepted(api: TestApi): Promise<void> {
  await eventually(async () => {
    expect((await api.http.post('/jobs').send(job)).status).toBe(202);
  }, 30_000);
}
