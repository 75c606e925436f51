import { Webhook } from 'standardwebhooks';
import { HttpRequest } from '@antrean/catalog';
import { InvalidPayloadError, isFinal } from '@antrean/jobs';
import { HttpRequestHandler } from '../../apps/worker/src/handlers/http-request/http-request.handler.js';
import { jobContext } from '../support/job-context.js';
import { RequestStage, SHOP_SECRETS, addresses, type ReceivedRequest, type RequestPayload } from '../support/request-stage.js';

let stage: RequestStage;

beforeAll(async () => {
  stage = await RequestStage.open();
}, 20_000);

beforeEach(() => {
  stage.reset();
});

afterAll(async () => {
  await stage.close();
});

describe('a request', () => {
  it('is made as it was submitted: a POST of JSON unless it says otherwise', async () => {
    const body = { order: 42, note: '€ 🎉' };
    expect(await stage.call({ body, headers: { Authorization: 'Bearer abc', 'X-Shop': 'a  b' } })).toMatchObject({
      status: 'succeeded',
    });
    expect(stage.received).toMatchObject([
      {
        method: 'POST',
        url: '/paid?token=s3cr3t',
        body: JSON.stringify(body),
        headers: {
          authorization: 'Bearer abc',
          'x-shop': 'a  b',
          'content-type': 'application/json',
          'content-length': String(Buffer.byteLength(JSON.stringify(body))),
          'accept-encoding': 'identity',
          'user-agent': 'Antrean',
          host: stage.http.replace('http://', ''),
        },
      },
    ]);
    const names = stage.received[0]?.rawHeaders.filter((_, index) => index % 2 === 0).map((name) => name.toLowerCase()) ?? [];
    expect(new Set(names).size).toBe(names.length);
  });

  it.each<[Partial<RequestPayload>, Partial<ReceivedRequest>]>([
    [{ method: 'GET' }, { method: 'GET', body: '' }],
    [{ method: 'HEAD' }, { method: 'HEAD', body: '' }],
    [{ method: 'DELETE' }, { method: 'DELETE', body: '' }],
    [
      { method: 'DELETE', body: [1] },
      { method: 'DELETE', body: '[1]' },
    ],
    [
      { method: 'PUT', body: false },
      { method: 'PUT', body: 'false' },
    ],
    [{}, { method: 'POST', body: '' }],
    [
      { method: 'PATCH', body: 'a=ü', headers: { 'Content-Type': 'text/x' } },
      { method: 'PATCH', body: 'a=ü' },
    ],
    [
      { body: '', headers: { 'Content-Type': 'text/x' } },
      { method: 'POST', body: '' },
    ],
  ])('is %j', async (part, wanted) => {
    expect(await stage.call(part)).toMatchObject({ status: 'succeeded', result: { status: 204 } });
    expect(stage.received).toMatchObject([wanted]);
    const { headers } = stage.received[0] ?? {};
    expect(headers?.['transfer-encoding']).toBeUndefined();
    const type = part.headers?.['Content-Type'] ?? (part.body === undefined ? undefined : 'application/json');
    expect(headers?.['content-type']).toBe(type);
  });

  it('continues the trace of its submit', async () => {
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
    await stage.call({}, { traceparent, tracestate: 'congo=t61rcWkgMzE' });
    expect(stage.received[0]?.headers).toMatchObject({ traceparent, tracestate: 'congo=t61rcWkgMzE' });
    const job = await stage.call();
    expect(stage.received[1]?.headers['traceparent']).toContain(`00-${job.traceId}-`);
    expect(stage.received[1]?.headers['tracestate']).toBeUndefined();
  });

  it('is signed as Standard Webhooks has it, by every secret of who submitted it', async () => {
    const body = { order: 42, note: '€' };
    await stage.call({ body }, { signAs: 'shop' });
    const [message] = stage.received;
    for (const secret of SHOP_SECRETS) {
      expect(new Webhook(secret.toString('base64')).verify(message?.body ?? '', message?.headers ?? {})).toEqual(body);
    }
    expect(() =>
      new Webhook(Buffer.alloc(24, 3).toString('base64')).verify(message?.body ?? '', message?.headers ?? {}),
    ).toThrow();
  });

  it('is signed over nothing when it has no body', async () => {
    await stage.call({ method: 'GET' }, { signAs: 'shop' });
    const { 'webhook-id': id = '', 'webhook-timestamp': time, 'webhook-signature': signature } = stage.received[0]?.headers ?? {};
    const webhook = new Webhook(String(SHOP_SECRETS[0]?.toString('base64')));
    expect(signature?.split(' ')[0]).toBe(webhook.sign(id, new Date(Number(time) * 1_000), ''));
  });

  it('is not signed when nobody has a secret for it, and waits when this worker alone has none', async () => {
    await stage.call({ body: {} });
    expect(stage.received[0]?.headers['webhook-id']).toBeDefined();
    expect(stage.received[0]?.headers['webhook-signature']).toBeUndefined();
    expect(await stage.call({}, { signAs: 'ops' })).toMatchObject({
      status: 'retrying',
      error: { code: 'webhook_secret_missing', message: 'WEBHOOK_SECRETS of this worker has no secret for ops.' },
    });
    expect(stage.received).toHaveLength(1);
  });

  it('has the same key with every attempt and when it is replayed, another one when it is replayed as another', async () => {
    stage.answer = (response) => response.writeHead(stage.received.length < 3 ? 503 : 404).end();
    const { jobId } = await stage.jobs.queue.enqueue(
      HttpRequest,
      { url: stage.http, body: { a: 1 } },
      { backoff: { kind: 'fixed', delayMs: 0 } },
    );
    const failed = await stage.jobs.until(jobId, ({ status }) => status === 'failed');
    expect(failed.attempt).toBe(3);
    await stage.jobs.control.replay(jobId);
    await stage.jobs.until(jobId, ({ status, replays }) => status === 'failed' && replays === 1);
    await stage.jobs.control.replay(jobId, { payload: { url: stage.http, body: { a: 2 } } });
    await stage.jobs.until(jobId, ({ status, replays }) => status === 'failed' && replays === 2);
    const keys = stage.received.map(({ headers }) => headers['idempotency-key']);
    expect(stage.received.map(({ headers }) => headers['webhook-id'])).toEqual(keys);
    expect(keys).toHaveLength(5);
    expect(new Set(keys.slice(0, 4)).size).toBe(1);
    expect(keys[4]).not.toBe(keys[0]);
    expect(keys[0]).toMatch(/^msg_[0-9A-Z]{26}_[0-9a-f]{16}$/);
  });

  it('goes over TLS to a host whose certificate is trusted, and to no other', async () => {
    const url = `https://hooks.test:${stage.httpsPort}/`;
    expect(await stage.call({ url })).toMatchObject({ status: 'succeeded' });
    const misnamed = await stage.call({ url: `https://127.0.0.1:${stage.httpsPort}/` });
    expect(misnamed).toMatchObject({ status: 'retrying', error: { code: 'ERR_TLS_CERT_ALTNAME_INVALID' } });
  });

  it('cannot be made to say more than it is to say', async () => {
    const smuggled = { url: `${stage.http}/`, headers: { x: 'a\r\nx-evil: 1' } };
    await expect(stage.jobs.queue.enqueue(HttpRequest, smuggled)).rejects.toThrow(InvalidPayloadError);
    // Not even when what was submitted had not been checked.
    const handler = stage.jobs.app.get(HttpRequestHandler);
    for (const headers of [{ x: 'a\r\nx-evil: 1' }, { 'x: 1\r\nx-evil': '1' }]) {
      await expect(handler.handle(jobContext(HttpRequest, { url: `${stage.http}/`, headers }))).rejects.toThrow();
    }
    const own = { 'Webhook-Id': 'forged', 'idempotency-key': 'forged', traceparent: 'forged', 'Accept-Encoding': 'gzip' };
    await handler.handle(jobContext(HttpRequest, { url: `${stage.http}/`, headers: own }));
    expect(stage.received).toHaveLength(1);
    expect(JSON.stringify(stage.received)).not.toContain('forged');
  });
});
describe('a receiver that is not to be called', () => {
  const refused = { status: 'failed', attempt: 1, error: { name: 'PermanentError' } };

  it.each([
    'http://shop.example/',
    'https://169.254.169.254/latest/meta-data/',
    'https://10.0.0.1/',
    'https://167772161/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://localhost/',
  ])('is not, as its URL says: %s', async (url) => {
    expect(await stage.call({ url })).toMatchObject({ ...refused, error: { code: 'url_refused' } });
  });

  it.each(['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1', '::ffff:127.0.0.1', '64:ff9b::7f00:1'])(
    'is not when its name stands for %s, although a server may be there',
    async (address) => {
      stage.resolve = addresses(address);
      expect(await stage.call({ url: `https://other.test:${stage.httpsPort}/` })).toMatchObject({
        ...refused,
        error: { code: 'address_refused', message: 'The host has no address that may be called.' },
      });
      expect(stage.received).toEqual([]);
    },
  );

  it('is not when its name comes to stand for a private address between two attempts', async () => {
    const asked: string[] = [];
    stage.resolve = (host, callback) => {
      asked.push(host);
      if (asked.length === 1) callback(Object.assign(new Error('none yet'), { code: 'EAI_AGAIN' }), []);
      else addresses('127.0.0.1')(host, callback);
    };
    const { jobId } = await stage.jobs.queue.enqueue(
      HttpRequest,
      { url: `https://other.test:${stage.httpsPort}/` },
      { backoff: { kind: 'fixed', delayMs: 0 } },
    );
    const job = await stage.jobs.until(jobId, ({ status }) => isFinal(status));
    expect(job.runs.map(({ error }) => error?.code)).toEqual(['EAI_AGAIN', 'address_refused']);
    expect([asked.length, stage.received.length]).toEqual([2, 0]);
  });

  it('is not when another sends there', async () => {
    stage.answerWith(302, { location: 'http://169.254.169.254/latest/meta-data/' });
    expect(await stage.call()).toMatchObject({
      status: 'failed',
      error: {
        message: 'The receiver answered 302 Found; redirects are not followed: submit the job with the URL it is to call.',
      },
    });
    expect(stage.received).toHaveLength(1);
  });

  it('is named to nobody who reads why', async () => {
    const failures = [
      await stage.call({ url: 'https://10.0.0.1/s3cr3t' }),
      await stage.call({ url: 'http://127.0.0.1:1/s3cr3t' }),
      await stage.call({ url: `https://other.test:${stage.httpsPort}/s3cr3t` }),
    ];
    for (const { error, runs } of failures) expect(JSON.stringify({ error, runs })).not.toMatch(/s3cr3t|127\.0|10\.0|other/);
  });
});
