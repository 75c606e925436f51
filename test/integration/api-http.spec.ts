import { once } from 'node:events';
import { connect } from 'node:net';
import { startTestApi, type TestApi } from '../support/api-app.js';
import type { TypeListView } from '../../apps/api/src/types/types.controller.js';
import { eventually } from '../support/eventually.js';
import { schemaFaults } from '../support/open-api.js';
import { sendRaw } from '../support/raw-http.js';

const job = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };

describe('the api as an HTTP server', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi({ PUBLIC_URL: 'https://example.com/queue/' });
  });

  afterAll(async () => {
    await api.close();
  });

  it.each([
    ['PUT', '/jobs', 'GET, HEAD, POST'],
    ['DELETE', '/jobs', 'GET, HEAD, POST'],
    ['OPTIONS', '/jobs', 'GET, HEAD, POST'],
    ['PATCH', '/jobs/email.send_01M8KZ529QERT1Z0QMV0JH9NB6', 'DELETE, GET, HEAD'],
    ['PUT', '/jobs/email', 'POST'],
    ['PUT', '/jobs?status=failed', 'GET, HEAD, POST'],
    ['PUT', '/orders', 'POST'],
    ['DELETE', '/orders/01JDVZ8XQ4T4Y8Q7M5K3N2P1R0', 'GET, HEAD'],
    ['PUT', '/orders/01JDVZ8XQ4T4Y8Q7M5K3N2P1R0/invoice', 'GET, HEAD, POST'],
    ['POST', '/types', 'GET, HEAD'],
    ['POST', '/health/live', 'GET, HEAD'],
    ['DELETE', '/metrics', 'GET, HEAD'],
    ['POST', '/docs', 'GET, HEAD'],
    ['POST', '/openapi.json', 'GET, HEAD'],
  ])('answers %s %s with 405 and what is allowed', async (method, path, allow) => {
    const answer = await fetch(`${api.url}${path}`, { method });
    expect(answer.status).toBe(405);
    expect(answer.headers.get('allow')).toBe(allow);
    expect(schemaFaults('Problem', await answer.json())).toEqual([]);
  });

  it.each(['/', '/nope', '/jobs/a/b', '/job', '/docs/nope.js', '/health/nope', '/.env', '/jobs//'])(
    'knows nothing at %s',
    async (path) => {
      const answer = await api.http.get(path);
      expect(answer.status).toBe(404);
      expect(answer.headers['content-type']).toBe('application/problem+json');
      expect(schemaFaults('Problem', answer.body)).toEqual([]);
      expect(answer.body).toMatchObject({
        type: 'urn:antrean:problem:not_found',
        status: 404,
        instance: path,
        code: 'not_found',
      });
    },
  );

  it.each(['/jobs/bulk', '/jobs/email.send_01M8KZ529QERT1Z0QMV0JH9NB6/pause', '/schedules'])(
    'says that %s is not there yet',
    async (path) => {
      const answer = await api.http.post(path).send({});
      expect({ status: answer.status, body: answer.body as object }).toMatchObject({ status: 404, body: { code: 'not_found' } });
    },
  );

  it.each(['/jobs/%ff', '/jobs/%', '/jobs/%E0%A4%A'])('refuses the path %s, which cannot be decoded', async (path) => {
    const { status, headers, body } = await sendRaw(api.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    expect({ status, type: headers['content-type'] }).toEqual({ status: 400, type: 'application/problem+json' });
    expect(JSON.parse(body)).toMatchObject({ code: 'bad_request' });
  });

  it.each([
    ['HTTP/1.1', 400],
    ['HTTP/1.0', 200],
  ])('demands a Host of a request by %s as the standard does', async (version, status) => {
    const answer = await sendRaw(api.url, `GET /health/live ${version}\r\nConnection: close\r\n\r\n`);
    expect(answer.status).toBe(status);
    if (status !== 200) expect(JSON.parse(answer.body)).toMatchObject({ code: 'bad_request', instance: '/health/live' });
  });

  it.each(['Host: x\r\nHost: x', 'Host: x\r\nHost: y', 'Host: a b/c?d', 'Host: user@x', 'Host: x:port', 'Host: [::1'])(
    'refuses %j as the standard does',
    async (host) => {
      const answer = await sendRaw(api.url, `GET /health/live HTTP/1.1\r\n${host}\r\nConnection: close\r\n\r\n`);
      expect(answer.status).toBe(400);
      expect(JSON.parse(answer.body)).toMatchObject({ code: 'bad_request', instance: '/health/live' });
    },
  );

  it.each(['x', 'my_host.example:3000', '127.0.0.1:3000', '[::1]:3000', ''])('takes the Host %j', async (host) => {
    const answer = await sendRaw(api.url, `GET /health/live HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(answer.status).toBe(200);
  });

  it.each([
    ['a header of 20 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`, 431, 'headers_too_large'],
    ['no HTTP at all', 'hello\r\n\r\n', 400, 'bad_request'],
    ['an unknown method', 'BREW /jobs HTTP/1.1\r\nHost: x\r\n\r\n', 400, 'bad_request'],
    ['two lengths', 'POST /jobs HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', 400, 'bad_request'],
  ])('answers %s with a problem too', async (_name, request, status, code) => {
    const answer = await sendRaw(api.url, request);
    expect({ status: answer.status, type: answer.headers['content-type'] }).toEqual({ status, type: 'application/problem+json' });
    expect(answer.headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(JSON.parse(answer.body)).toMatchObject({ code, status, instance: null });
    expect(schemaFaults('Problem', JSON.parse(answer.body))).toEqual([]);
  });

  it.each(['text/html', 'application/xml, text/*', 'application/json;q=0', 'application/problem+json'])(
    'has no answer for Accept: %s, and does nothing',
    async (accept) => {
      const before = await api.countKeys();
      const answer = await api.http.post('/jobs').set('Accept', accept).send(job);
      expect({ status: answer.status, body: answer.body as object }).toMatchObject({
        status: 406,
        body: { code: 'not_acceptable' },
      });
      expect(await api.countKeys()).toBe(before);
    },
  );

  it.each(['*/*', 'application/*', 'application/json', 'application/json; charset=utf-8', 'text/html, application/json;q=0.1'])(
    'answers Accept: %s with JSON',
    async (accept) => {
      const answer = await api.http.get('/types').set('Accept', accept);
      expect({ status: answer.status, type: answer.type }).toEqual({
        status: 200,
        type: 'application/json',
      });
    },
  );

  it('gives every answer its request id and safe headers, and does not name its software', async () => {
    for (const path of ['/types', '/nope', '/docs', '/health/live', '/metrics']) {
      const { headers } = await api.http.get(path).set('X-Request-Id', 'abc');
      expect(headers).toMatchObject({ 'x-request-id': 'abc', 'x-content-type-options': 'nosniff' });
      expect(headers['content-security-policy']).toContain("default-src 'none'");
      expect(headers).not.toHaveProperty('x-powered-by');
    }
  });

  it('logs one line a request, with the route and not the path', async () => {
    await api.http.get('/jobs/secret-id?token=hunter2').set('X-Request-Id', 'one-line');
    await api.http.get('/nope/hunter2').set('X-Request-Id', 'no-route');
    const lines = api.log.filter(({ msg }) => msg === 'request');
    const of = (requestId: string) => lines.filter((line) => line['request_id'] === requestId);
    expect(of('one-line')).toEqual([expect.objectContaining({ level: 'info', method: 'GET', route: '/jobs/:id', status: 400 })]);
    expect(of('no-route')).toEqual([expect.objectContaining({ route: null, status: 404 })]);
    expect(JSON.stringify(api.log)).not.toContain('hunter2');
  });

  it('says in the log why a request was refused', async () => {
    await api.http
      .post('/jobs')
      .set('X-Request-Id', 'refused')
      .send({ ...job, type: 'nope' });
    expect(api.log).toContainEqual(expect.objectContaining({ request_id: 'refused', status: 400, problem: 'unknown_job_type' }));
  });

  it('is not upset by a client that goes away in the middle of its body', async () => {
    const before = await api.countKeys();
    const { hostname, port } = new URL(api.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const head = ['POST /jobs HTTP/1.1', 'Host: x', 'X-Request-Id: gone', 'Content-Type: application/json', 'Content-Length: 99'];
    socket.write(`${[...head, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    socket.destroy();
    const line = await eventually(() => {
      const found = api.log.find(({ request_id }) => request_id === 'gone');
      if (found === undefined) throw new Error('The request is not logged yet.');
      return found;
    });
    expect(line).toMatchObject({ level: 'info', msg: 'request', status: null, aborted: true });
    expect(api.log.filter(({ level }) => level === 'error')).toEqual([]);
    expect(await api.countKeys()).toBe(before);
  });

  it('names jobs under the path that a proxy adds', async () => {
    const answer = await api.http.post('/jobs').send(job);
    const { job_id } = answer.body as { job_id: string };
    expect(answer.headers['location']).toBe(`/queue/jobs/${job_id}`);
    expect(answer.body).toMatchObject({ links: { self: `/queue/jobs/${job_id}` } });
  });

  it('lists the types with schema, version and policy', async () => {
    const answer = await api.http.get('/types');
    expect(schemaFaults('TypeListView', answer.body)).toEqual([]);
    const { data, next_cursor } = answer.body as TypeListView;
    expect(next_cursor).toBeNull();
    expect(data.filter(({ type }) => type === 'email.send')).toMatchObject([
      {
        version: 1,
        payload_schema: { type: 'object', required: ['to', 'template'], additionalProperties: false },
        policy: {
          concurrency: { worker: 50 },
          timeout_sec: 60,
          max_attempts: 5,
          backoff: { type: 'exponential', base_sec: 5, factor: 4, cap_sec: 600 },
          dedupe: { policy: 'ttl', ttl_sec: 600, on_duplicate: 'conflict' },
        },
      },
    ]);
  });

  it('is alive, ready and healthy', async () => {
    expect((await api.http.get('/health/live')).body).toEqual({ status: 'ok' });
    expect((await api.http.get('/health/ready')).body).toEqual({ status: 'ok' });
    const answer = await api.http.get('/health');
    expect(schemaFaults('HealthView', answer.body)).toEqual([]);
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: 200,
      body: {
        status: 'ok',
        details: {
          redis: { status: 'up', ping: true, write: true },
          storage: { status: 'up', write: true, detail: null },
          database: { status: 'up', ping: true, detail: null },
        },
      },
    });
  });

  it('measures submits and the depth of the queues', async () => {
    const before = await depthOf(api);
    await api.http.post('/jobs').send(job);
    await api.http.post('/jobs').send({ ...job, options: { delay_sec: 60 } });
    const after = await depthOf(api);
    expect({ queued: after.queued - before.queued, scheduled: after.scheduled - before.scheduled }).toEqual({
      queued: 1,
      scheduled: 1,
    });
    const { text, headers } = await api.http.get('/metrics');
    expect(headers['content-type']).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(text).toMatch(/^antrean_jobs_submitted_total\{type="email\.send"\} [1-9]/m);
    expect(text).toMatch(/^antrean_queue_oldest_age_seconds\{type="email\.send"\} \d/m);
    expect(text).toMatch(/^antrean_queue_outgoing_events\{type="email\.send"\} 0$/m);
    expect(text).not.toContain('\n\n\n');
  });

  it('serves the documentation, which needs nothing from elsewhere', async () => {
    const page = await api.http.get('/docs');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toContain("script-src 'self'");
    const parts = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = '']) => url);
    expect(parts.length).toBeGreaterThan(3);
    for (const part of parts) {
      expect(part).toMatch(/^\.\//);
      expect((await api.http.get(`/${part.slice(2)}`)).status).toBe(200);
    }
    expect(page.text).not.toMatch(/<script(?![^>]* src=)/);
  });

  it('serves its OpenAPI document, with the prefix that a proxy adds as server', async () => {
    const answer = await api.http.get('/openapi.json');
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({
      status: 200,
      body: { openapi: '3.1.0', servers: [{ url: '/queue' }] },
    });
  });
});

async function depthOf(api: TestApi): Promise<{ readonly queued: number; readonly scheduled: number }> {
  const { text } = await api.http.get('/metrics');
  const count = (status: string) =>
    Number(new RegExp(`^antrean_queue_jobs\\{type="email\\.send",status="${status}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
  return { queued: count('queued'), scheduled: count('scheduled') };
}
