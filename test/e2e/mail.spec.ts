import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { builtApps } from '../support/built-apps.js';
import type { BuiltProcess } from '../support/built-process.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { SmtpTestServer } from '../support/smtp-server.js';

jest.setTimeout(90_000);

const LEASE_SEC = 3;

/** What the tests read of an answer. */
interface JobBody {
  readonly job_id: string;
  readonly status: string;
  readonly attempt: number;
  readonly crashes: number;
  readonly trace_id: string;
  readonly started_at: string | null;
  readonly result: unknown;
  readonly attempts: readonly {
    readonly outcome: string | null;
    readonly started_at: string;
    readonly error_code: string | null;
  }[];
}

describe('a mail from HTTP to SMTP', () => {
  const folder = mkdtempSync(join(tmpdir(), 'antrean-mail-'));
  const shared = {
    REDIS_URL,
    KEY_PREFIX: newKeyPrefix(),
    DATABASE_URL: `sqlite:${join(folder, 'shop.db')}`,
    LEASE_SEC: String(LEASE_SEC),
    LOG_LEVEL: 'info',
  };
  const apis = builtApps('api', { ...shared, PORT: '0' });
  const workers = builtApps('worker', { ...shared, WORKER_PORT: '0' });
  let smtp: SmtpTestServer;
  let mailing: Readonly<Record<string, string>>;

  beforeAll(async () => {
    smtp = await SmtpTestServer.start();
    mailing = { SMTP_URL: smtp.url };
  });

  afterEach(() => {
    smtp.behave();
  });

  afterAll(async () => {
    await smtp.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const submit = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}/jobs/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  const mail = (messageKey: string) => ({
    to: `${messageKey}@example.com`,
    template: 'welcome',
    variables: { name: 'Budi' },
    message_key: messageKey,
  });

  const receivedBy = (to: string) => smtp.received.filter((one) => one.to.includes(to));

  // The test says what it expects of the body right after.
  const bodyOf = async (response: Response) => (await response.json()) as JobBody;

  const until = (url: string, jobId: string, status: string) =>
    eventually(async () => {
      const job = await bodyOf(await fetch(`${url}/jobs/${jobId}`));
      expect(job.status).toBe(status);
      return job;
    });

  const linesOf = (jobId: string, process: BuiltProcess, message: string) =>
    process.log.filter((line) => line['job_id'] === jobId && line['msg'] === message);

  it('is queued, processing, succeeded, and received; every line about it says which job, type, trace and request it is', async () => {
    const api = await apis.running();
    const url = await api.url();
    const response = await submit(url, mail('budi'), { 'x-request-id': 'req-1' });
    expect(response.status).toBe(202);
    const { job_id: jobId, trace_id: traceId } = await bodyOf(response);
    await until(url, jobId, 'queued');

    const release = smtp.hold('data');
    const worker = await workers.start(mailing);
    await until(url, jobId, 'processing');
    release();
    const job = await until(url, jobId, 'succeeded');
    expect(job).toMatchObject({ attempt: 1, crashes: 0, attempts: [{ outcome: 'succeeded' }] });
    expect(receivedBy('budi@example.com')).toMatchObject([
      { to: ['budi@example.com'], email: { to: [{ address: 'budi@example.com' }] } },
    ]);

    await Promise.all([api.logged('job queued'), worker.logged('job started'), worker.logged('job succeeded')]);
    const lines = [...api.log, ...worker.log].filter((line) => line['job_id'] === jobId && 'attempt' in line);
    expect(lines.map(({ msg }) => msg)).toEqual(['job queued', 'job started', 'job succeeded']);
    for (const line of lines) expect(line).toMatchObject({ job_type: 'email.send', trace_id: traceId, request_id: 'req-1' });
    apis.leave(api);
    workers.leave(worker);
  });

  it('stays with its worker though it takes longer than two leases', async () => {
    const api = await apis.running();
    const url = await api.url();
    const release = smtp.hold('data');
    const reached = smtp.next('data');
    const worker = await workers.running(mailing);
    const { job_id: jobId } = await bodyOf(await submit(url, mail('slow')));
    await reached;
    const { started_at: startedAt } = await until(url, jobId, 'processing');
    await eventually(() => {
      expect(Date.now() - Date.parse(startedAt ?? '')).toBeGreaterThan(2 * LEASE_SEC * 1_000);
    });
    release();
    expect(await until(url, jobId, 'succeeded')).toMatchObject({ crashes: 0, attempts: [{ outcome: 'succeeded' }] });
    await eventually(() => {
      expect(linesOf(jobId, worker, 'job succeeded')).toHaveLength(1);
    });
    expect(linesOf(jobId, worker, 'job started')).toHaveLength(1);
    apis.leave(api);
    workers.leave(worker);
  });

  it('runs again within a lease and 5 s when its worker is killed between DATA and 250, and shows the crash', async () => {
    const api = await apis.running();
    const url = await api.url();
    smtp.hang('data');
    const reached = smtp.next('data');
    const both = await Promise.all([workers.running(mailing), workers.start(mailing)]);
    await Promise.all(both.map((worker) => worker.logged('worker started')));
    const { job_id: jobId } = await bodyOf(await submit(url, mail('killed')));
    await reached;
    const runner = await eventually(() => {
      const one = both.find((worker) => linesOf(jobId, worker, 'job started').length > 0);
      if (one === undefined) throw new Error('No worker says that it started the job');
      return one;
    });
    runner.kill('SIGKILL');
    const killedAt = Date.now();
    const job = await until(url, jobId, 'succeeded');
    const againAt = Date.parse(job.started_at ?? '');
    expect(againAt - killedAt).toBeLessThanOrEqual((LEASE_SEC + 5) * 1_000);
    expect(job).toMatchObject({
      crashes: 1,
      attempt: 1,
      result: { resent_after_unknown: true },
      attempts: [{ outcome: 'crashed', error_code: 'worker_lost' }, { outcome: 'succeeded' }],
    });
    expect(receivedBy('killed@example.com')).toHaveLength(1);
    apis.leave(api);
    workers.leave(...both.filter((worker) => worker !== runner));
  });

  it('settles or hands back at SIGTERM, exits with 0, and uses no attempt', async () => {
    const url = await (await apis.running()).url();
    const release = smtp.hold('data');
    const reached = smtp.next('data');
    const worker = await workers.running(mailing);
    const { job_id: jobId } = await bodyOf(await submit(url, mail('sigterm')));
    await reached;
    worker.kill('SIGTERM');
    await worker.logged('worker draining');
    release();
    await expect(worker.exit()).resolves.toEqual({ code: 0, signal: null });
    await until(url, jobId, 'succeeded');
  });
});
