import { BuiltProcess } from '../support/built-process.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix } from '../support/jobs-app.js';
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
  const running: BuiltProcess[] = [];
  let smtp: SmtpTestServer;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    smtp = await SmtpTestServer.start();
    env = {
      REDIS_URL,
      KEY_PREFIX: newKeyPrefix(),
      PORT: '0',
      WORKER_PORT: '0',
      SMTP_URL: smtp.url,
      LEASE_SEC: String(LEASE_SEC),
      LOG_LEVEL: 'info',
    };
  });

  afterEach(async () => {
    await Promise.all(running.splice(0).map((process) => process.dispose()));
    await smtp.stop();
  });

  const start = async (app: 'api' | 'worker'): Promise<BuiltProcess> => {
    const process = await BuiltProcess.start(app, env);
    running.push(process);
    await process.url();
    return process;
  };

  const submit = (url: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
    fetch(`${url}/jobs/email`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });

  const mail = (messageKey: string) => ({
    to: 'budi@example.com',
    template: 'welcome',
    variables: { name: 'Budi' },
    message_key: messageKey,
  });

  // The test says what it expects of the body right after.
  const bodyOf = async (response: Response) => (await response.json()) as JobBody;

  const until = (url: string, jobId: string, status: string) =>
    eventually(async () => {
      const job = await bodyOf(await fetch(`${url}/jobs/${jobId}`));
      expect(job.status).toBe(status);
      return job;
    });

  it('is queued, processing, succeeded, and received; every line about it says which job, type, trace and request it is', async () => {
    const api = await start('api');
    const url = await api.url();
    const response = await submit(url, mail('welcome-1'), { 'x-request-id': 'req-1' });
    expect(response.status).toBe(202);
    const { job_id: jobId, trace_id: traceId } = await bodyOf(response);
    await until(url, jobId, 'queued');

    const release = smtp.hold('data');
    const worker = await start('worker');
    await until(url, jobId, 'processing');
    release();
    const job = await until(url, jobId, 'succeeded');
    expect(job).toMatchObject({ attempt: 1, crashes: 0, attempts: [{ outcome: 'succeeded' }] });
    expect(smtp.received).toMatchObject([{ to: ['budi@example.com'], email: { to: [{ address: 'budi@example.com' }] } }]);

    await Promise.all([api.logged('job queued'), worker.logged('job started'), worker.logged('job succeeded')]);
    const lines = [...api.log, ...worker.log].filter((line) => line['job_id'] === jobId && 'attempt' in line);
    expect(lines.map(({ msg }) => msg)).toEqual(['job queued', 'job started', 'job succeeded']);
    for (const line of lines) expect(line).toMatchObject({ job_type: 'email.send', trace_id: traceId, request_id: 'req-1' });
  });

  it('is one job for one message key, asked for 500 times at once at two apis', async () => {
    const urls = await Promise.all([start('api'), start('api')].map(async (api) => (await api).url()));
    const answers = await Promise.all(
      Array.from({ length: 500 }, async (_, index) => {
        const response = await submit(urls[index % 2] ?? '', mail('once'));
        return { status: response.status, jobId: (await bodyOf(response)).job_id };
      }),
    );
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(499);
    expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(1);
  });

  it('runs again within a lease and 5 s when its worker is killed between DATA and 250, and shows the crash', async () => {
    const url = await (await start('api')).url();
    smtp.hang('data');
    const first = await start('worker');
    const second = await start('worker');
    await second.logged('worker started');
    const { job_id: jobId } = await bodyOf(await submit(url, mail('killed')));
    await smtp.reached('data');
    const runner = await eventually(() => {
      const one = [first, second].find(({ log }) => log.some(({ msg }) => msg === 'job started'));
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
    expect(smtp.received).toHaveLength(1);
  });

  it('stays with its worker though it takes longer than two leases', async () => {
    const url = await (await start('api')).url();
    const release = smtp.hold('data');
    const worker = await start('worker');
    const { job_id: jobId } = await bodyOf(await submit(url, mail('slow')));
    await smtp.reached('data');
    const { started_at: startedAt } = await until(url, jobId, 'processing');
    await eventually(() => {
      expect(Date.now() - Date.parse(startedAt ?? '')).toBeGreaterThan(2 * LEASE_SEC * 1_000);
    });
    release();
    expect(await until(url, jobId, 'succeeded')).toMatchObject({ crashes: 0, attempts: [{ outcome: 'succeeded' }] });
    await worker.logged('job succeeded');
    expect(worker.log.filter(({ msg }) => msg === 'job started')).toHaveLength(1);
  });

  it('settles or hands back at SIGTERM, exits with 0, and uses no attempt', async () => {
    const url = await (await start('api')).url();
    const release = smtp.hold('data');
    const worker = await start('worker');
    const { job_id: jobId } = await bodyOf(await submit(url, mail('sigterm')));
    await smtp.reached('data');
    worker.kill('SIGTERM');
    await worker.logged('worker draining');
    release();
    await expect(worker.exit()).resolves.toEqual({ code: 0, signal: null });
    await until(url, jobId, 'succeeded');
  });
});
