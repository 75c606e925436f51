import { once } from 'node:events';
import { connect } from 'node:net';
import { startTestApi } from '../support/api-app.js';

const job = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };

describe('an api that is told to end', () => {
  it('says so and answers all the same until load balancers know, ends each connection with its answer, and closes then', async () => {
    const api = await startTestApi({ SHUTDOWN_DELAY_SEC: '2' });
    // The first request compiles what the others use.
    await api.http.post('/jobs').send(job);
    const { hostname, port } = new URL(api.url);
    const idle = connect({ host: hostname, port: Number(port) });
    idle.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    await once(idle, 'data');
    const begun = performance.now();
    const closed = api.close('SIGTERM');

    const ready = await fetch(`${api.url}/health/ready`);
    expect({ status: ready.status, body: await ready.json() }).toMatchObject({
      status: 503,
      body: { code: 'not_ready', detail: 'The process is draining.' },
    });
    const submit = await api.http.post('/jobs').send(job);
    expect(submit.status).toBe(202);
    expect([ready.headers.get('connection'), submit.headers['connection']]).toEqual(['close', 'close']);
    idle.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n');
    expect(String(await once(idle, 'data'))).toMatch(/^HTTP\/1\.1 200 OK\r\n(.+\r\n)*Connection: close\r\n/);

    await closed;
    expect(performance.now() - begun).toBeGreaterThanOrEqual(1_990);
    await expect(fetch(api.url)).rejects.toThrow();
  });

  it('closes at once when it ends by itself', async () => {
    const api = await startTestApi({ SHUTDOWN_DELAY_SEC: '60' });
    await api.close();
    await expect(fetch(api.url)).rejects.toThrow();
  });
});
