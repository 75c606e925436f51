import { createHash } from 'node:crypto';
import { builtApps } from '../support/built-apps.js';
import type { BuiltProcess } from '../support/built-process.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { TestRedis } from '../support/test-redis.js';

jest.setTimeout(60_000);

const { start, running, leave } = builtApps('worker', { REDIS_URL, KEY_PREFIX: newKeyPrefix(), WORKER_PORT: '0' });

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  return (await fetch(url, init)).status;
}

async function untilStatus(url: string, status: number): Promise<void> {
  await eventually(async () => {
    expect(await statusOf(url)).toBe(status);
  });
}

describe('a worker that cannot start', () => {
  it('names every wrong variable in one message on standard error and exits with 1', async () => {
    const worker = await start({
      REDIS_URL: 'http://user:hunter2@localhost',
      WORKER_PORT: 'http',
      LEASE_SEC: '0',
      WORKER_CONCURRENCY: 'email.send',
      MAIL_FROM: 'nobody',
      LOG_LEVEL: 'loud',
    });
    await expect(worker.exit()).resolves.toEqual({ code: 1, signal: null });
    const [head, ...faults] = worker.stderr.trimEnd().split('\n');
    expect(head).toBe('The configuration is wrong, nothing was started. Mend these variables:');
    const named = faults.map((line) => /^ {2}([A-Z_]+): expected ./.exec(line)?.[1]);
    expect(named.sort()).toEqual(['LEASE_SEC', 'LOG_LEVEL', 'MAIL_FROM', 'REDIS_URL', 'WORKER_CONCURRENCY', 'WORKER_PORT']);
    expect(worker.stderr).not.toContain('hunter2');
    expect(worker.stdout).toBe('');
  });

  it('says in one line that its port is taken, and takes no jobs', async () => {
    const first = await running();
    const { port } = new URL(await first.url());
    const second = await start({ WORKER_PORT: port });
    await expect(second.exit()).resolves.toEqual({ code: 1, signal: null });
    expect(second.log.filter(({ level }) => level !== 'warn')).toMatchObject([
      {
        level: 'fatal',
        app: 'worker',
        msg: 'the worker cannot start',
        reason: `Cannot listen on http://127.0.0.1:${port}: another process listens there. Free it or set WORKER_PORT or WORKER_HOST.`,
      },
    ]);
    leave(first);
  });

  it('says which of the types it is to run has no handler', async () => {
    const worker = await start({ WORKER_TYPES: 'email.send,no.such' });
    await expect(worker.exit()).resolves.toEqual({ code: 1, signal: null });
    const [line, ...more] = worker.log.filter(({ level }) => level !== 'warn');
    expect(more).toEqual([]);
    expect(line).toMatchObject({ level: 'fatal', msg: 'the worker cannot start' });
    expect(line?.['reason']).toContain('no.such');
  });
});

describe('a worker that is up', () => {
  const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
  const withKeys = { API_KEYS: `ops:${hashOf('ops-key')}:read,shop:${hashOf('shop-key')}:submit` };

  it('answers health and metrics, and tells what else is asked for that it is not there', async () => {
    const worker = await running();
    const url = await worker.url();
    await untilStatus(`${url}/health/ready`, 200);
    await expect(statusOf(`${url}/health/live`)).resolves.toBe(200);

    const health = await fetch(`${url}/health`);
    expect(health.status).toBe(200);
    expect(health.headers.get('cache-control')).toContain('no-store');
    await expect(health.json()).resolves.toMatchObject({
      status: 'ok',
      details: {
        redis: { status: 'up', ping: true, write: true },
        storage: { status: 'up', write: true, detail: null },
        database: { status: 'up', ping: true, detail: null },
        work: { status: 'up', ready: true, running: 0 },
        event_loop: { status: 'up' },
      },
    });

    const metrics = await fetch(`${url}/metrics`);
    expect(metrics.headers.get('content-type')).toContain('text/plain');
    const text = await metrics.text();
    expect(text).toContain('process_cpu_seconds_total');
    expect(text).toContain('# TYPE antrean_jobs_finished_total counter');

    const unknown = await fetch(`${url}/jobs?secret=1`);
    expect(unknown.headers.get('content-type')).toContain('application/problem+json');
    await expect(unknown.json()).resolves.toMatchObject({
      ...{ status: 404, code: 'not_found', instance: '/jobs' },
      detail: expect.stringContaining('ask the api') as string,
    });

    const post = await fetch(`${url}/health/live`, { method: 'POST' });
    expect(post.headers.get('allow')).toBe('GET, HEAD');
    await expect(post.json()).resolves.toMatchObject({ status: 405, code: 'method_not_allowed', instance: '/health/live' });
    await expect(statusOf(`${url}/jobs`, { method: 'POST' })).resolves.toBe(404);
    await expect(statusOf(`${url}/metrics`, { method: 'HEAD' })).resolves.toBe(200);
    leave(worker);
  });

  it('shows its metrics to keys with scope read only, its health to everybody', async () => {
    const worker = await running(withKeys);
    const url = await worker.url();
    const metricsWith = (headers: Record<string, string>): Promise<Response> => fetch(`${url}/metrics`, { headers });

    const keyless = await metricsWith({});
    expect(keyless.headers.get('www-authenticate')).toBe('Bearer');
    await expect(keyless.json()).resolves.toMatchObject({ status: 401, code: 'unauthorized' });
    expect((await metricsWith({ authorization: 'Bearer wrong' })).status).toBe(401);
    const scopeless = await metricsWith({ authorization: 'Bearer shop-key' });
    await expect(scopeless.json()).resolves.toMatchObject({ status: 403, code: 'forbidden' });
    expect((await metricsWith({ authorization: 'Bearer ops-key' })).status).toBe(200);
    await expect(statusOf(`${url}/health/live`)).resolves.toBe(200);
    leave(worker);
  });

  it.each([
    ['SIGTERM', {}],
    ['SIGINT', withKeys],
  ] as const)('ends with 0 at %s, with nothing but JSON in its log', async (signal, env) => {
    const worker = await running(env);
    await untilStatus(`${await worker.url()}/health/ready`, 200);
    worker.kill(signal);
    await expect(worker.exit()).resolves.toEqual({ code: 0, signal: null });
    expect(worker.log.length).toBeGreaterThan(0);
    // The tests' Redis keeps nothing, and the worker warns of it.
    const odd = worker.log.filter(({ app, level, servers }) => app !== 'worker' || (level !== 'info' && servers === undefined));
    expect(odd).toEqual([]);
    expect(worker.stderr).toBe('');
  });
});

describe('a worker without Redis', () => {
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await TestRedis.start();
  });

  afterAll(async () => {
    await redis.stop();
  });

  it('waits and says so, and is ready once Redis is there', async () => {
    await redis.kill();
    const worker = await start({ REDIS_URL: redis.url });
    const url = await worker.url();
    await worker.logged('redis is away');
    await expect(statusOf(`${url}/health/live`)).resolves.toBe(200);
    await expect((await fetch(`${url}/health/ready`)).json()).resolves.toMatchObject({ status: 503, code: 'not_ready' });
    const health = await fetch(`${url}/health`);
    expect(health.status).toBe(503);
    await expect(health.json()).resolves.toMatchObject({
      status: 'error',
      error: { redis: { status: 'down', ping: false, write: false } },
    });

    await redis.restart();
    await untilStatus(`${url}/health/ready`, 200);
    await untilStatus(`${url}/health`, 200);
    leave(worker);
  });

  it('ends with 0 at SIGTERM all the same, without waiting for a drain of nothing', async () => {
    const worker = await start({ REDIS_URL: `redis://127.0.0.1:${await freePort()}` });
    await worker.logged('worker started');
    await expectQuickEnd(worker);
  });

  it('ends with 0 at SIGTERM also when Redis went away under it, or hangs', async () => {
    const gone = await running({ REDIS_URL: redis.url });
    await untilStatus(`${await gone.url()}/health/ready`, 200);
    const outages = (): number => gone.log.filter(({ msg }) => msg === 'redis is away').length;
    const before = outages();
    await redis.kill();
    await eventually(() => {
      expect(outages()).toBeGreaterThan(before);
    });
    await expectQuickEnd(gone);
    await redis.restart();
    const unanswered = await start({ REDIS_URL: redis.url });
    await untilStatus(`${await unanswered.url()}/health/ready`, 200);
    redis.freeze();
    await expectQuickEnd(unanswered);
  });

  /** The grace (25 s unless set) is for jobs in hand; without any, nobody is to wait for Redis. */
  async function expectQuickEnd(worker: BuiltProcess): Promise<void> {
    const signalledAt = performance.now();
    worker.kill('SIGTERM');
    await expect(worker.exit()).resolves.toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(10_000);
  }
});
