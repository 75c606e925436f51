import { SendEmail } from '@antrean/catalog';
import { JobHandler, PermanentError, type BulkResult, type Handles, type JobContext } from '@antrean/jobs';
import type { JobListView } from '../../apps/api/src/jobs/job-list.controller.js';
import type { SubmittedJobView } from '../../apps/api/src/jobs/submitted-job.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { schemaFaults } from '../support/open-api.js';

function jobIdOf(result: BulkResult): string {
  if ('refused' in result) throw result.refused;
  return result.accepted.jobId;
}

/** Fails for good, with the name of the template as code. */
@JobHandler(SendEmail)
class FailingHandler implements Handles<typeof SendEmail> {
  handle({ payload }: JobContext<typeof SendEmail>): void {
    throw new PermanentError('no luck', { code: payload.template });
  }
}

describe('the list of jobs', () => {
  let api: TestApi;
  let worker: JobsApp;
  const failed: string[] = [];

  beforeAll(async () => {
    const keyPrefix = newKeyPrefix();
    [api, worker] = await Promise.all([
      startTestApi({ KEY_PREFIX: keyPrefix }),
      startJobsApp([SendEmail], [FailingHandler], { keyPrefix, deadRetentionMs: 600_000 }),
    ]);
    for (let n = 0; n < 7; n += 1) {
      const { job_id } = await submit(n % 2 === 0 ? 'even' : 'odd', { tags: [`n${n}`], user_id: n < 3 ? 'early' : 'late' });
      await worker.until(job_id, ({ status }) => status === 'failed');
      failed.unshift(job_id);
    }
  });

  afterAll(async () => {
    await Promise.all([api.close(), worker.close()]);
  });

  async function submit(template: string, options = {}): Promise<SubmittedJobView> {
    const answer = await api.http
      .post('/jobs')
      .send({ type: 'email.send', payload: { to: 'budi@example.com', template }, options });
    expect(answer.status).toBe(202);
    return answer.body as SubmittedJobView;
  }

  async function list(query: string): Promise<{ readonly ids: readonly string[]; readonly next: string | null }> {
    const answer = await api.http.get(`/jobs?${query}`);
    expect({ status: answer.status, body: schemaFaults('JobListView', answer.body) }).toEqual({ status: 200, body: [] });
    const { data, next_cursor } = answer.body as JobListView;
    return { ids: data.map(({ job_id }) => job_id), next: next_cursor };
  }

  async function all(query: string): Promise<readonly string[]> {
    const ids: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page = await list(`${query}${cursor === '' ? '' : `&cursor=${cursor}`}`);
      ids.push(...page.ids);
      cursor = page.next;
    }
    return ids;
  }

  it('has the dead letters, the latest first, page by page', async () => {
    expect(await list('status=failed')).toEqual({ ids: failed, next: null });
    for (const limit of [1, 2, 3, 7]) expect(await all(`status=failed&limit=${limit}`)).toEqual(failed);
  });

  it('goes on behind a job that is gone since', async () => {
    const first = await list('status=failed&limit=3');
    const { job_id } = await submit('gone');
    await worker.until(job_id, ({ status }) => status === 'failed');
    const latest = await list('status=failed&limit=1');
    expect(latest.ids).toEqual([job_id]);
    await worker.control.remove(job_id);
    expect((await list(`status=failed&limit=3&cursor=${latest.next ?? ''}`)).ids).toEqual(failed.slice(0, 3));
    expect((await list(`status=failed&limit=3&cursor=${first.next ?? ''}`)).ids).toEqual(failed.slice(3, 6));
  });

  it('can be narrowed by error, owner, tag, type and time', async () => {
    expect(await all('status=failed&error_code=odd&limit=2')).toEqual(failed.filter((_, index) => index % 2 === 1));
    expect(await all('status=failed&user_id=early')).toEqual(failed.slice(4));
    expect(await all('status=failed&tag=n0')).toEqual(failed.slice(6));
    expect(await all('status=failed&type=email.send')).toEqual(failed);
    expect(await all('status=failed&type=other.type')).toEqual([]);
    const middle = await worker.status.get(failed[3] ?? '');
    const at = encodeURIComponent(middle?.finishedAt?.toISOString() ?? '');
    expect(await all(`status=failed&to=${at}`)).toEqual(failed.slice(3));
    expect(await all(`status=failed&from=${at}&to=${at}&limit=1`)).toContain(failed[3]);
    expect(await all(`status=failed&from=${at}`)).toEqual(failed.slice(0, 4));
  });

  it('has what is to come, the soonest first', async () => {
    const later = await submit('later', { delay_sec: 900 });
    const sooner = await submit('sooner', { delay_sec: 600 });
    expect(await all('status=scheduled&limit=1')).toEqual([sooner.job_id, later.job_id]);
    await worker.control.cancel(sooner.job_id);
    await eventually(async () => {
      expect(await all('status=scheduled')).toEqual([later.job_id]);
    });
    expect(await all('status=cancelled')).toEqual([sooner.job_id]);
  });

  it('leaves out a job that cannot be read, and says so in the log', async () => {
    const { job_id } = await submit('spoilt');
    await worker.until(job_id, ({ status }) => status === 'failed');
    await api.spoil(job_id);
    expect(await all('status=failed&limit=2')).toEqual(failed);
    expect(await list('status=failed')).toEqual({ ids: failed, next: null });
    expect(api.log).toContainEqual(expect.objectContaining({ job_id, msg: 'job cannot be read, it is left out' }));
    await worker.link.redis.zrem(worker.link.keys(SendEmail.type).failed, job_id.slice('email.send_'.length));
  });

  it('ends a page of large jobs before it is too large, and goes on behind it', async () => {
    const variables = Object.fromEntries(Array.from({ length: 63 }, (_, n) => [`v${n}`, 'x'.repeat(4_000)]));
    const jobs = Array.from({ length: 40 }, () => ({
      payload: { to: 'budi@example.com', template: 'large', variables },
      options: { delayMs: 3_600_000, tags: ['large'] },
    }));
    const ids = (await worker.queue.enqueueBulk(SendEmail, jobs)).map(jobIdOf);
    const first = await api.http.get('/jobs?status=scheduled&tag=large&limit=200');
    expect(first.status).toBe(200);
    expect(first.text.length).toBeLessThan(5_000_000);
    expect((first.body as JobListView).data.length).toBeGreaterThan(10);
    expect(new Set(await all('status=scheduled&tag=large&limit=200'))).toEqual(new Set(ids));
    await Promise.all(ids.map((jobId) => worker.control.cancel(jobId)));
    await Promise.all(ids.map((jobId) => worker.control.remove(jobId)));
  });

  it.each(['status=cancelled', 'status=failed&type=email.send', 'status=failed&to=2030-01-31T08:00:00Z', 'status=failed&tag=n0'])(
    'refuses the cursor of another list for ?%s',
    async (query) => {
      const { next } = await list('status=failed&limit=1');
      const answer = await api.http.get(`/jobs?${query}&limit=1&cursor=${next ?? ''}`);
      expect(answer.status).toBe(400);
      expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ parameter: 'cursor' }] });
    },
  );

  it.each([
    ['', 'status'],
    ['status=queued', 'status'],
    ['status=nonsense', 'status'],
    ['status=failed&limit=0', 'limit'],
    ['status=failed&limit=201', 'limit'],
    ['status=failed&limit=ten', 'limit'],
    ['status=failed&from=yesterday', 'from'],
    ['status=failed&cursor=nonsense', 'cursor'],
    ['status=failed&cursor=', 'cursor'],
    ['status=failed&group=g', 'group'],
    ['status=failed&status=expired', 'status'],
    ['status[]=failed', 'status[]'],
    [`status=failed&type=${'x'.repeat(65)}`, 'type'],
    ['status=failed&type=', 'type'],
    ['status=failed&type=Email.send', 'type'],
    ['status=failed&type=email.send%7D:dedupe:x', 'type'],
  ])('refuses ?%s, naming what is wrong', async (query, parameter) => {
    const answer = await api.http.get(`/jobs?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request', errors: [{ parameter }] });
    expect(schemaFaults('Problem', answer.body)).toEqual([]);
  });
});
