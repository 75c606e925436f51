import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';
import { HttpRequest } from '@antrean/catalog';
import { createLogger } from '@antrean/platform';
import { HttpRequestModule } from '../../apps/worker/src/handlers/http-request/http-request.module.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}

const SECRET = Buffer.alloc(32, 7);
const keyOf = (name: string, scopes: string): string => `${name}:${createHash('sha256').update(name).digest('hex')}:${scopes}`;
const bearer = (name: string) => ({ Authorization: `Bearer ${name}` });

describe('an http.request that is submitted over HTTP', () => {
  const received: Received[] = [];
  const workerLog: string[] = [];
  let receiver: Server;
  let url: string;
  let api: TestApi;
  let worker: JobsApp;

  beforeAll(async () => {
    const keyPrefix = newKeyPrefix();
    receiver = createServer((request, response) => {
      void request.toArray().then((chunks: Buffer[]) => {
        // Node has lists of those only that the requests here do not have.
        received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(chunks).toString() });
        response.writeHead(200, { 'content-type': 'application/json' }).end('{"answer": "s3cr3t of the answer"}');
      });
    });
    await new Promise<void>((done) => receiver.listen(0, '127.0.0.1', done));
    url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/paid?token=s3cr3t-of-the-url`;
    api = await startTestApi({
      KEY_PREFIX: keyPrefix,
      API_KEYS: [keyOf('shop', 'submit+read'), keyOf('mute', 'submit+read'), keyOf('ops', 'read+manage')].join(),
      OUTBOUND_ALLOW: '127.0.0.1',
      WEBHOOK_SECRETS: `shop=whsec_${SECRET.toString('base64')},ops=whsec_${Buffer.alloc(32, 8).toString('base64')}`,
    });
    const webhookSecrets = new Map([['shop', [SECRET]]]);
    const { providers = [] } = HttpRequestModule.register({
      outboundAllow: ['127.0.0.1'],
      webhookSecrets,
      slots: 100,
      concurrency: {},
    });
    const logger = createLogger(
      { app: 'worker', level: 'debug', format: 'json' },
      { write: (line: string) => workerLog.push(line) },
    );
    worker = await startJobsApp([HttpRequest], providers, { keyPrefix, logger });
  }, 20_000);

  beforeEach(() => {
    received.length = 0;
  });

  afterAll(async () => {
    await worker.close();
    await api.close();
    receiver.close();
    receiver.closeAllConnections();
  });

  const submit = async (payload: object, key = 'shop', options: object = {}) => {
    const request = api.http.post('/jobs').set(bearer(key)).set('Prefer', 'wait=10');
    const reply = await request.send({ type: 'http.request', payload, options });
    return { status: reply.status, body: reply.body as unknown };
  };
  const read = async (jobId: string, key: string): Promise<unknown> =>
    (await api.http.get(`/jobs/${jobId}`).set(bearer(key))).body;
  const headers = { Authorization: 'Bearer s3cr3t-of-the-header' };

  it('calls the receiver, signed with the secrets of the key that it was submitted with', async () => {
    const { status, body } = await submit({ url, headers, body: { order: 42 } });
    expect([status, body]).toMatchObject([200, { status: 'succeeded', result: { status: 200 } }]);
    const [message] = received;
    const verified = new Webhook(SECRET.toString('base64')).verify(message?.body ?? '', message?.headers ?? {});
    expect(verified).toEqual({ order: 42 });
    expect(message?.headers).toMatchObject({ authorization: 'Bearer s3cr3t-of-the-header' });
  });

  it('is not signed when its key has no secret, and never with those of another', async () => {
    expect((await submit({ url }, 'mute')).body).toMatchObject({ status: 'succeeded' });
    expect(received[0]?.headers['webhook-signature']).toBeUndefined();
    for (const field of [{ sign_as: 'ops' }, { signAs: 'ops' }]) {
      expect((await submit({ url, ...field })).status).toBe(400);
      expect((await submit({ url }, 'shop', field)).status).toBe(400);
    }
    expect(received).toHaveLength(1);
  });

  it('shows URL and headers to those only who may manage jobs, and writes them into no log', async () => {
    const { body } = await submit({ url, headers, body: { order: 42 } });
    const { job_id: jobId } = body as { readonly job_id: string };
    expect(await read(jobId, 'shop')).toMatchObject({
      payload: { url: '[redacted]', headers: '[redacted]', body: { order: 42 } },
      result: { body: { answer: 's3cr3t of the answer' } },
    });
    expect(await read(jobId, 'ops')).toMatchObject({ payload: { url, headers } });
    expect(workerLog.join()).toContain(jobId);
    expect(`${workerLog.join()} ${JSON.stringify(api.log)}`).not.toContain('s3cr3t');
  });

  it.each([
    [
      { url: 'https://169.254.169.254/s3cr3t' },
      '#/payload/url',
      'url must not lead to a private, local or reserved address; OUTBOUND_ALLOW may allow its host',
    ],
    [{ url: 'http://shop.example/s3cr3t' }, '#/payload/url', 'url must be https; http is for the hosts in OUTBOUND_ALLOW only'],
    [
      { url: 's3cr3t' },
      '#/payload/url',
      'url must be an https: or http: URL of at most 2048 printable ASCII characters, without user',
    ],
    [
      { url: 'https://shop.example/', headers: { Host: 's3cr3t' } },
      '#/payload/headers',
      'headers must not hold "Host": it follows from the URL',
    ],
    [
      { url: 'https://shop.example/', headers: { x: 's3cr3t\r\nx: y' } },
      '#/payload/headers',
      'headers must not hold "x" with a value that is not printable ASCII, or begins or ends with a blank',
    ],
    [
      { url: 'https://shop.example/', method: 'GET', body: { a: 's3cr3t' } },
      '#/payload/body',
      'body must be left out with the method GET',
    ],
  ])('is refused with the place and a sentence, and without the value: %j', async (payload, pointer, detail) => {
    const { status, body } = await submit(payload);
    expect([status, body]).toMatchObject([400, { code: 'invalid_payload', errors: [{ pointer, detail }] }]);
    expect(JSON.stringify(body)).not.toContain('s3cr3t');
  });
});
