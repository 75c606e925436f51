import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startTestApi, type TestApi } from '../support/api-app.js';

const job = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };

describe('an api with an admin port', () => {
  let api: TestApi;

  beforeAll(async () => {
    const list = `reader:${createHash('sha256').update('key-of-reader').digest('hex')}:read+submit`;
    api = await startTestApi({ API_KEYS: list, ADMIN_PORT: '0' });
  });

  afterAll(async () => {
    await api.close();
  });

  it.each(['/metrics', '/health'])('has %s there, open, and not on the main port', async (path) => {
    expect((await fetch(`${api.adminUrl ?? ''}${path}`)).status).toBe(200);
    const answer = await api.http.get(path).set('Authorization', 'Bearer key-of-reader');
    expect({ status: answer.status, body: answer.body as object }).toMatchObject({ status: 404, body: { code: 'not_found' } });
  });

  it('has no jobs there, not even with a key', async () => {
    const headers = { Authorization: 'Bearer key-of-reader', 'Content-Type': 'application/json' };
    const answer = await fetch(`${api.adminUrl ?? ''}/jobs`, { method: 'POST', headers, body: JSON.stringify(job) });
    expect(answer.status).toBe(404);
    expect((await fetch(`${api.adminUrl ?? ''}/types`, { headers })).status).toBe(404);
  });

  it('says there that it is draining, as long as a request is in hand', async () => {
    const draining = await startTestApi({ ADMIN_PORT: '0' });
    const { hostname, port } = new URL(draining.url);
    const socket = connect({ host: hostname, port: Number(port) });
    const body = JSON.stringify(job);
    const head = ['POST /jobs HTTP/1.1', 'Host: x', 'Content-Type: application/json', `Content-Length: ${body.length}`];
    socket.write(`${[...head, 'Expect: 100-continue'].join('\r\n')}\r\n\r\n`);
    await once(socket, 'data');
    const closed = draining.close();
    const ready = await fetch(`${draining.adminUrl ?? ''}/health/ready`);
    expect({ status: ready.status, body: await ready.json() }).toMatchObject({
      status: 503,
      body: { code: 'not_ready', detail: 'The process is draining.' },
    });
    socket.write(body);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 202 /);
    await closed;
  });

  it.each(['/health/live', '/health/ready'])('has %s on both', async (path) => {
    expect((await fetch(`${api.adminUrl ?? ''}${path}`)).status).toBe(200);
    expect((await api.http.get(path)).status).toBe(200);
  });
});
