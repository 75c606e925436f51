import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { builtApps } from '../support/built-apps.js';
import { eventually } from '../support/eventually.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { TestRedis } from '../support/test-redis.js';

jest.setTimeout(60_000);

const CLOSING = 'closing down, a second signal leaves at once';
const job = JSON.stringify({ type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } });
const json = { 'Content-Type': 'application/json' };

describe('the api process', () => {
  const { start, running, leave } = builtApps('api', { REDIS_URL, KEY_PREFIX: newKeyPrefix(), PORT: '0' });
  let redis: TestRedis;

  beforeAll(async () => {
    redis = await TestRedis.start();
  });

  afterAll(async () => {
    await redis.stop();
  });

  it('names every wrong variable in one message and exits with 1', async () => {
    const api = await start({ PORT: 'x', REDIS_URL: 'http://localhost', MAX_PAYLOAD_BYTES: '-1', HOST: '0.0.0.0' });
    expect(await api.exit()).toEqual({ code: 1, signal: null });
    for (const name of ['PORT', 'REDIS_URL', 'MAX_PAYLOAD_BYTES', 'HOST', 'API_KEYS']) expect(api.stderr).toContain(name);
    expect(`${api.stdout}${api.stderr}`).not.toMatch(/\n\s+at /);
  });

  it('says in one line that its port is taken, and exits with 1', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as AddressInfo; // A TCP server that listens has an address of this form.
    const api = await start({ PORT: String(port) });
    expect(await api.exit()).toEqual({ code: 1, signal: null });
    other.close();
    const lines = api.stdout.split('\n').filter((line) => line.includes(String(port)));
    expect(lines).toEqual([expect.stringContaining('another process listens there') as string]);
    expect(`${api.stdout}${api.stderr}`).not.toMatch(/"stack"|\n\s+at /);
  });

  it('makes one job of 500 equal mails that reach two processes at once', async () => {
    const apis = await Promise.all([running(), running()]);
    const urls = await Promise.all(apis.map((api) => api.url()));
    const body = JSON.stringify({ to: 'budi@example.com', template: 'welcome', message_key: 'once' });
    const submit = async (url: string) => {
      const answer = await fetch(`${url}/jobs/email`, { method: 'POST', headers: json, body });
      const { job_id } = (await answer.json()) as { job_id: string };
      return { status: answer.status, job_id };
    };
    // The first request of a process compiles what the others use; that is not what is tried here.
    await Promise.all(urls.map((url) => fetch(`${url}/health`)));
    const answers = await Promise.all(urls.flatMap((url) => Array.from({ length: 250 }, () => submit(url))));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(499);
    expect(new Set(answers.map(({ job_id }) => job_id)).size).toBe(1);
    leave(...apis);
  });

  it('answers the request in hand after SIGTERM, takes no other, and exits with 0', async () => {
    const api = await running();
    const url = await api.url();
    const socket = await openRequest(url);
    api.kill('SIGTERM');
    await api.logged(CLOSING);
    await eventually(() => expect(fetch(url)).rejects.toThrow());
    socket.write(job.slice(10));
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 202 /);
    expect(answer).toMatch(/^Connection: close\r$/m);
    expect(await api.exit()).toEqual({ code: 0, signal: null });
  });

  it('does not wait for connections that are only kept open', async () => {
    const api = await running();
    const { hostname, port } = new URL(await api.url());
    const idle = connect({ host: hostname, port: Number(port) });
    idle.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const signalledAt = performance.now();
    api.kill('SIGINT');
    expect(await api.exit()).toEqual({ code: 0, signal: null });
    expect(performance.now() - signalledAt).toBeLessThan(3_000);
  });

  it('starts without a Redis, and takes jobs as soon as there is one', async () => {
    await redis.kill();
    const api = await start({ REDIS_URL: redis.url });
    const url = await api.url();
    const submit = async () => (await fetch(`${url}/jobs`, { method: 'POST', headers: json, body: job })).status;
    const health = async () => (await fetch(`${url}/health`)).status;
    expect(await submit()).toBe(503);
    expect(await health()).toBe(503);
    await redis.restart();
    await eventually(async () => {
      expect(await submit()).toBe(202);
    });
    expect(await health()).toBe(200);
    leave(api);
  });

  it('exits at once on a second signal', async () => {
    const api = await running({ REDIS_URL: redis.url });
    const socket = await openRequest(await api.url());
    socket.on('error', () => undefined);
    api.kill('SIGTERM');
    await api.logged(CLOSING);
    api.kill('SIGTERM');
    expect(await api.exit()).toEqual({ code: 1, signal: null });
  });
});

/** A request whose body is not complete: the api has it in hand until the rest comes. */
async function openRequest(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  const head = [
    'POST /jobs HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${job.length}`,
    'Expect: 100-continue',
  ];
  socket.write(`${head.join('\r\n')}\r\n\r\n`);
  // The answer to Expect shows that the request has arrived.
  await once(socket, 'data');
  socket.write(job.slice(0, 10));
  return socket;
}
