import { DeleteDeadLetters, ReplayDeadLetters, SendEmail } from '@antrean/catalog';
import {
  DeadLettersService,
  JobHandler,
  PermanentError,
  isFinal,
  type Handles,
  type JobContext,
  type WorkerOptions,
} from '@antrean/jobs';
import { setClockOffset } from '@antrean/jobs/testing';
import { createLogger } from '@antrean/platform';
import { DeadLettersWalk } from '../../apps/worker/src/handlers/dead-letters/dead-letters-walk.js';
import { DeleteDeadLettersHandler } from '../../apps/worker/src/handlers/dead-letters/delete-dead-letters.handler.js';
import { ReplayDeadLettersHandler } from '../../apps/worker/src/handlers/dead-letters/replay-dead-letters.handler.js';
import type { JobView } from '../../apps/api/src/jobs/job.view.js';
import type { SubmittedJobView } from '../../apps/api/src/jobs/submitted-job.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { schemaFaults } from '../support/open-api.js';
import { TestRedis } from '../support/test-redis.js';

/** How often each job ran, by the name of its recipient. */
const runs = new Map<string, number>();
let healed = false;

/** Fails for good, with its template as code, until it is healed. */
@JobHandler(SendEmail)
class FailingHandler implements Handles<typeof SendEmail> {
  handle({ payload: { to, template } }: JobContext<typeof SendEmail>): void {
    runs.set(to, (runs.get(to) ?? 0) + 1);
    if (!healed) throw new PermanentError('no luck', { code: template });
  }
}

const HANDLERS = [FailingHandler, DeadLettersWalk, ReplayDeadLettersHandler, DeleteDeadLettersHandler];

describe('dead letters', () => {
  let api: TestApi;
  let keyPrefix: string;
  const workers: JobsApp[] = [];

  beforeEach(async () => {
    healed = false;
    runs.clear();
    keyPrefix = newKeyPrefix();
    api = await startTestApi({ KEY_PREFIX: keyPrefix });
  });

  afterEach(async () => {
    await Promise.all([api.close(), ...workers.splice(0).map((worker) => worker.close())]);
  });

  async function startWorker(options: Partial<WorkerOptions> = {}): Promise<JobsApp> {
    const retention = { retentionMs: 600_000, deadRetentionMs: 600_000, shutdownGraceMs: 0 };
    const worker = await startJobsApp([SendEmail, ReplayDeadLetters, DeleteDeadLetters], HANDLERS, {
      ...{ keyPrefix, ...retention },
      ...options,
    });
    workers.push(worker);
    return worker;
  }

  /** Jobs that have failed, half of them with the code `even`, half with `odd`. */
  async function bury(worker: JobsApp, count: number): Promise<void> {
    const before = (await worker.status.depth(SendEmail.type)).counts.failed;
    const jobs = Array.from({ length: count }, (_, n) => ({
      payload: { to: `n${n}@example.com`, template: n % 2 === 0 ? 'even' : 'odd' },
    }));
    await worker.queue.enqueueBulk(SendEmail, jobs);
    await eventually(async () => {
      expect((await worker.status.depth(SendEmail.type)).counts.failed).toBe(before + count);
    }, 20_000);
  }

  async function act(path: 'replay' | 'delete', body: object): Promise<JobView> {
    const answer = await api.http.post(`/dead-letters/${path}`).set('Prefer', 'wait=30').send(body);
    expect({ status: answer.status, faults: schemaFaults('JobView', answer.body) }).toEqual({ status: 200, faults: [] });
    return answer.body as JobView;
  }

  it('can be counted, replayed and deleted by what they failed of', async () => {
    const worker = await startWorker();
    await bury(worker, 150);
    expect(await act('replay', { error_code: 'odd', dry_run: true })).toMatchObject({
      status: 'succeeded',
      result: { seen: 150, matched: 75, changed: 0, refused: 0 },
    });
    expect((await worker.status.depth(SendEmail.type)).counts).toMatchObject({ failed: 150 });

    healed = true;
    const replayed = await act('replay', { error_code: 'odd' });
    expect(replayed).toMatchObject({ status: 'succeeded', result: { matched: 75, changed: 75, refused: 0 } });
    expect(replayed.progress?.percent).toBe(100);
    await eventually(async () => {
      expect((await worker.status.depth(SendEmail.type)).counts).toMatchObject({ failed: 75, succeeded: 75 });
    });
    expect(await act('replay', { error_code: 'odd' })).toMatchObject({ result: { matched: 0, changed: 0 } });

    expect(await act('delete', { type: 'email.send' })).toMatchObject({ result: { seen: 75, matched: 75, changed: 75 } });
    expect((await worker.status.depth(SendEmail.type)).counts).toMatchObject({ failed: 0, succeeded: 75 });
    expect(api.log).toContainEqual(
      expect.objectContaining({
        msg: 'audit',
        audit: 'dead-letters.delete',
        filter: expect.objectContaining({ type: 'email.send' }) as object,
      }),
    );
  });

  it('that are deleted are each told of in the log', async () => {
    const removed: unknown[] = [];
    const write = (line: string) => {
      const { msg, job_id } = JSON.parse(line) as Readonly<Record<string, unknown>>;
      if (msg === 'job removed') removed.push(job_id);
    };
    const worker = await startWorker({ logger: createLogger({ app: 'worker', level: 'info', format: 'json' }, { write }) });
    await bury(worker, 5);
    const ulids = await worker.link.redis.zrange(worker.link.keys(SendEmail.type).failed, '0', '-1');
    expect(await act('delete', { all: true })).toMatchObject({ result: { changed: 5 } });
    expect(removed.sort()).toEqual(ulids.map((ulid) => `email.send_${ulid}`).sort());
  });

  it('that cannot be read are seen and left alone', async () => {
    const worker = await startWorker();
    await bury(worker, 3);
    const [oldest = ''] = await worker.link.redis.zrange(worker.link.keys(SendEmail.type).failed, '0', '0');
    await api.spoil(`email.send_${oldest}`);
    expect(await act('replay', { all: true })).toMatchObject({
      status: 'succeeded',
      result: { seen: 3, matched: 2, changed: 2 },
    });
    await eventually(async () => {
      expect((await worker.status.depth(SendEmail.type)).counts).toMatchObject({ failed: 3 });
    });
    expect(await act('delete', { all: true })).toMatchObject({
      status: 'succeeded',
      result: { seen: 3, matched: 2, changed: 2 },
    });
  });

  it('have their times by the clock of their type', async () => {
    const worker = await startWorker();
    await setClockOffset(worker.link.redis, keyPrefix, SendEmail.type, 3_600_000);
    await bury(worker, 3);
    expect(await act('replay', { all: true, dry_run: true })).toMatchObject({ result: { seen: 3, matched: 3 } });
  });

  it('of the types that follow are next, where the type under way is defined no more', async () => {
    const { app } = await startWorker();
    const next = async (type: string) => {
      const all = { fromMs: 0, toMs: Number.MAX_SAFE_INTEGER };
      return (await app.get(DeadLettersService).step('count', all, { type })).next;
    };
    expect(await next('any.gone')).toEqual({ type: 'email.send' });
    expect(await next('other.gone')).toBeUndefined();
  });

  it('that fail again are not replayed once more by the same walk', async () => {
    const worker = await startWorker();
    await bury(worker, 200);
    expect(await act('replay', { all: true })).toMatchObject({ result: { matched: 200, changed: 200 } });
    await eventually(async () => {
      expect((await worker.status.depth(SendEmail.type)).counts).toMatchObject({ failed: 200 });
    });
    expect([...runs.values()]).toEqual(Array.from({ length: 200 }, () => 2));
  });

  it('are replayed at the pace that was asked for, be it slow', async () => {
    const worker = await startWorker();
    await bury(worker, 3);
    const { started_at, finished_at, result } = await act('replay', { all: true, per_second: 2 });
    expect(result).toMatchObject({ seen: 3, matched: 3, changed: 3 });
    expect(Date.parse(finished_at ?? '') - Date.parse(started_at ?? '')).toBeGreaterThanOrEqual(1_000);
    const dryRun = await act('replay', { all: true, per_second: 1, dry_run: true });
    expect(Date.parse(dryRun.finished_at ?? '') - Date.parse(dryRun.started_at ?? '')).toBeLessThan(1_000);
  });

  it('are each replayed once when the walk is cut off and goes on elsewhere', async () => {
    const first = await startWorker();
    await bury(first, 300);
    healed = true;
    const answer = await api.http.post('/dead-letters/replay').send({ all: true, per_second: 200 });
    expect(answer.status).toBe(202);
    const { job_id } = answer.body as SubmittedJobView;
    await first.until(job_id, ({ progress }) => (progress?.percent ?? 0) > 20);
    await first.close();
    workers.splice(workers.indexOf(first), 1);
    const second = await startWorker();
    expect((await second.status.get(job_id))?.status).not.toBe('succeeded');
    const job = await second.until(job_id, ({ status }) => isFinal(status));
    expect(job).toMatchObject({ status: 'succeeded', attempt: 1 });
    expect(job.runs.map(({ outcome }) => outcome)).toEqual(['handed_back', 'succeeded']);
    await eventually(async () => {
      expect((await second.status.depth(SendEmail.type)).counts).toMatchObject({ failed: 0, succeeded: 300 });
    });
    expect([...runs.values()]).toEqual(Array.from({ length: 300 }, () => 2));
  });

  it.each([
    [{ error_code: 5 }, '#/error_code'],
    [{ type: 'email.send}:dedupe:x' }, '#/type'],
    [{ type: '' }, '#/type'],
    [{ from: 'yesterday' }, '#/from'],
    [{ per_second: 0 }, '#/per_second'],
    [{ status: 'failed' }, '#/status'],
    [{ dry_run: 'yes' }, '#/dry_run'],
    [{ all: false }, '#/all'],
    [{ all: true, type: 'email.send' }, '#/all'],
  ])('are not touched by %j', async (body, pointer) => {
    const answer = await api.http.post('/dead-letters/replay').send(body);
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: 400,
      body: { code: 'invalid_request', errors: [{ pointer }] },
    });
  });

  describe.each(['replay', 'delete'])('by a %s', (path) => {
    it.each([[undefined], [{}], [{ dry_run: true }], [{ per_second: 5 }]])('are not all meant by %j', async (body) => {
      const answer = await api.http.post(`/dead-letters/${path}`).send(body);
      expect({ status: answer.status, body: answer.body as object }).toMatchObject({
        status: 400,
        body: {
          code: 'invalid_request',
          errors: [{ pointer: '#/all', detail: expect.stringContaining('"all": true') as string }],
        },
      });
    });
  });

  it.each([
    ['2030-01-31t15:00:00.1234+07:00', '2030-01-31T08:00:00.123Z'],
    ['0001-01-01T00:00:00z', '0001-01-01T00:00:00.000Z'],
  ])('are meant by any time that a list takes, such as %s', async (from, utc) => {
    const answer = await api.http.post('/dead-letters/replay').send({ from, to: from });
    expect(answer.status).toBe(202);
    const { job_id } = answer.body as SubmittedJobView;
    expect((await api.http.get(`/jobs/${job_id}`)).body).toMatchObject({ payload: { from: utc, to: utc } });
    expect((await api.http.get(`/jobs?status=failed&from=${encodeURIComponent(from)}`)).status).toBe(200);
  });

  it('of a type that is not defined are not touched', async () => {
    const answer = await api.http.post('/dead-letters/delete').send({ type: 'email.sent' });
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: 400,
      body: {
        code: 'unknown_job_type',
        detail: expect.stringContaining('email.send') as string,
        errors: [{ pointer: '#/type' }],
      },
    });
    expect((await api.http.post('/dead-letters/replay').send({ type: 'webhook.deliver' })).status).toBe(202);
  });

  it('are not to be had by the door for jobs', async () => {
    const answer = await api.http.post('/jobs').send({ type: 'dead-letters.delete', payload: { per_second: 1 } });
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: 400,
      body: { code: 'unknown_job_type' },
    });
    expect((await api.http.get('/types')).text).not.toContain('dead-letters');
  });
});

describe('an act on dead letters of which nobody knows whether it was taken', () => {
  it('is in the audit log, with its job and its filter', async () => {
    const redis = await TestRedis.start();
    // There is no replica that could say so.
    const api = await startTestApi({ REDIS_URL: redis.url, DURABILITY: 'replicated' });
    const answer = await api.http.post('/dead-letters/delete').send({ user_id: 'u1' });
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({ status: 503, body: { outcome: 'unknown' } });
    const { job_id } = answer.body as { readonly job_id: string };
    expect(api.log.filter(({ msg }) => msg === 'audit')).toEqual([
      expect.objectContaining({
        audit: 'dead-letters.delete',
        job_id,
        outcome: 'unknown',
        filter: expect.objectContaining({ user_id: 'u1' }) as object,
      }),
    ]);
    await api.close();
    await redis.stop();
  });
});
