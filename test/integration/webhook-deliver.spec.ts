import { readFile } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Test } from '@nestjs/testing';
import { Webhook } from 'standardwebhooks';
import { WebhookDeliver } from '@antrean/catalog';
import { JobAbortedError, PermanentError, RetryAfterError } from '@antrean/jobs';
import { OutboundRefusedError, type Resolver } from '@antrean/platform';
import { WebhookDeliverHandler } from '../../apps/worker/src/handlers/webhook-deliver/webhook-deliver.handler.js';
import { WebhookDeliverModule } from '../../apps/worker/src/handlers/webhook-deliver/webhook-deliver.module.js';
import type { OutboundOptions } from '../../apps/worker/src/outbound/outbound-providers.js';
import { judge } from '../../libs/jobs/src/definition/outcome.js';
import { jobContext, type PlainPayload } from '../support/job-context.js';

interface Received {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly url: string;
}

const NEW_SECRET = Buffer.alloc(32, 1);
const OLD_SECRET = Buffer.alloc(24, 2);
const BODY = '{"type":"job.succeeded","timestamp":"2026-11-30T00:00:00.000Z","data":{"result":"€"}}';

const received: Received[] = [];
let answer: (response: ServerResponse, request: IncomingMessage) => void;
const servers: Server[] = [];
let http: string;
let httpsPort: number;
let certificate: string;

const atLoopback: Resolver = (_host, callback) => {
  callback(null, [{ address: '127.0.0.1', family: 4 }]);
};

async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = '';
  for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
  received.push({ headers: request.headers as Record<string, string>, body, url: request.url ?? '' });
  answer(response, request);
}

async function listen(server: Server): Promise<number> {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

beforeAll(async () => {
  certificate = await readFile('test/fixtures/tls/hooks.test.crt', 'utf8');
  const key = await readFile('test/fixtures/tls/hooks.test.key', 'utf8');
  http = `http://127.0.0.1:${await listen(createHttpServer((request, response) => void take(request, response)))}`;
  httpsPort = await listen(createHttpsServer({ key, cert: certificate }, (request, response) => void take(request, response)));
});

beforeEach(() => {
  received.length = 0;
  answer = (response) => response.writeHead(204).end();
});

afterAll(() => {
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
});

async function handler(options: Partial<OutboundOptions> = {}): Promise<WebhookDeliverHandler> {
  const webhooks = WebhookDeliverModule.register({
    outboundAllow: ['127.0.0.1'],
    webhookSecrets: new Map([['shop', [NEW_SECRET, OLD_SECRET]]]),
    slots: 100,
    concurrency: {},
    ...options,
  });
  return (await Test.createTestingModule({ imports: [webhooks] }).compile()).get(WebhookDeliverHandler, { strict: false });
}

type Payload = PlainPayload<typeof WebhookDeliver>;
const payload = (part: Partial<Payload> = {}): Payload => ({
  url: `${http}/hook?token=s3cr3t`,
  secret_name: 'shop',
  message_id: 'msg_01ABC_5_1764460000000',
  body: BODY,
  ...part,
});

const named = { outboundAllow: ['hooks.test', 'other.test'], resolver: atLoopback };

const deliver = async (part: Partial<Payload> = {}, options: Partial<OutboundOptions> = {}, signal?: AbortSignal) =>
  (await handler(options)).handle(jobContext(WebhookDeliver, payload(part), signal === undefined ? {} : { signal }));

const failure = (run: Promise<unknown>): Promise<unknown> =>
  run.then(
    (result) => {
      throw new Error(`It succeeded: ${JSON.stringify(result)}`);
    },
    (error: unknown) => error,
  );
const verdict = (error: unknown) => judge(WebhookDeliver, WebhookDeliver.retry, 1, error).kind;

describe('a delivery', () => {
  it('is what Standard Webhooks asks for: receivers verify it by the new secret and by the old one', async () => {
    expect(await deliver()).toEqual({ status: 204 });
    const [message] = received;
    expect(message).toMatchObject({ url: '/hook?token=s3cr3t', body: BODY, headers: { 'content-type': 'application/json' } });
    for (const secret of [NEW_SECRET, OLD_SECRET]) {
      const webhook = new Webhook(secret.toString('base64'));
      expect(webhook.verify(message?.body ?? '', message?.headers ?? {})).toEqual(JSON.parse(BODY));
    }
    expect(() => new Webhook(Buffer.alloc(24, 3).toString('base64')).verify(BODY, message?.headers ?? {})).toThrow();
    expect(() => new Webhook(NEW_SECRET.toString('base64')).verify(`${BODY} `, message?.headers ?? {})).toThrow();
  });

  it('keeps its id with every attempt, and continues the trace of the job', async () => {
    const context = jobContext(WebhookDeliver, payload());
    const { handle } = { handle: await handler() };
    await handle.handle(context);
    await handle.handle(context);
    const [first, second] = received.map(({ headers }) => headers);
    expect(first?.['webhook-id']).toBe('msg_01ABC_5_1764460000000');
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(first?.['traceparent']).toMatch(new RegExp(`^00-${context.traceId}-[0-9a-f]{16}-00$`));
  });

  it('goes over TLS to a host whose certificate is trusted, and to no other', async () => {
    const url = `https://hooks.test:${httpsPort}/hook`;
    expect(await deliver({ url }, { ...named, trusted: certificate })).toEqual({ status: 204 });
    const untrusted = await failure(deliver({ url }, named));
    expect(untrusted).toMatchObject({ code: 'DEPTH_ZERO_SELF_SIGNED_CERT' });
    const misnamed = await failure(deliver({ url: url.replace('hooks', 'other') }, { ...named, trusted: certificate }));
    expect(misnamed).toMatchObject({ code: 'ERR_TLS_CERT_ALTNAME_INVALID' });
    expect([verdict(untrusted), verdict(misnamed), received.length]).toEqual(['retry', 'retry', 1]);
  });

  it.each([200, 201, 299])('is done when the receiver answers %d', async (status) => {
    answer = (response) => response.writeHead(status).end('body');
    expect(await deliver()).toEqual({ status });
  });

  it.each([
    [301, 'retry'],
    [302, 'retry'],
    [307, 'retry'],
    [308, 'retry'],
    [400, 'bury'],
    [401, 'bury'],
    [404, 'bury'],
    [408, 'retry'],
    [425, 'retry'],
    [429, 'retry'],
    [500, 'retry'],
    [502, 'retry'],
    [503, 'retry'],
  ])('that is answered %d leads to: %s', async (status, what) => {
    answer = (response) => response.writeHead(status, { location: `${http}/elsewhere` }).end();
    const error = await failure(deliver());
    expect(error).toMatchObject({ name: 'WebhookAnswerError', code: 'webhook_refused', status });
    expect(verdict(error)).toBe(what);
    expect(received.map(({ url }) => url)).toEqual(['/hook?token=s3cr3t']);
  });

  it('that is answered by a switch of protocols is refused, and its connection closed', async () => {
    const closed = new Promise<void>((resolve) => {
      answer = (_response, { socket }) => {
        socket.once('close', () => {
          resolve();
        });
        socket.write('HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n');
      };
    });
    const error = await failure(deliver());
    expect(error).toMatchObject({ name: 'WebhookAnswerError', code: 'webhook_refused', status: 101 });
    expect(verdict(error)).toBe('retry');
    await closed;
  });

  it('that is answered 410 is never tried again', async () => {
    answer = (response) => response.writeHead(410).end();
    const error = await failure(deliver());
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code: 'webhook_gone' });
  });

  it.each([
    [429, '120', 120_000],
    [503, '60', 60_000],
    [429, '999999', 86_400_000],
  ])('that is answered %d with Retry-After %s waits for so long', async (status, header, delayMs) => {
    answer = (response) => response.writeHead(status, { 'retry-after': header }).end();
    const error = await failure(deliver());
    expect(error).toBeInstanceOf(RetryAfterError);
    expect(error).toMatchObject({ delayMs, code: 'webhook_refused' });
  });

  it.each(['soon', '-1', '1.5e3x', '0', '1', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'goes by its own back-off when Retry-After is %s',
    async (header) => {
      answer = (response) => response.writeHead(503, { 'retry-after': header }).end();
      const error = await failure(deliver());
      expect(error).toMatchObject({ code: 'webhook_refused', message: 'The receiver answered 503.' });
      const { kind, delayMs } = judge(WebhookDeliver, WebhookDeliver.retry, 1, error) as { kind: string; delayMs: number };
      expect(kind).toBe('retry');
      expect(delayMs).toBeGreaterThanOrEqual(5_000);
      expect(delayMs).toBeLessThanOrEqual(5_500);
    },
  );

  it('reads nothing of an answer that never ends', async () => {
    let written = 0;
    answer = (response) => {
      response.writeHead(200);
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) written += 65_536;
        if (!response.destroyed) response.once('drain', more);
      };
      more();
      response.on('error', () => undefined);
    };
    expect(await deliver()).toEqual({ status: 200 });
    expect(written).toBeLessThan(50_000_000);
  });

  it('ends when the job is told to', async () => {
    const abort = new AbortController();
    answer = () => {
      abort.abort(new JobAbortedError('timed_out'));
    };
    const error = await failure(deliver({}, {}, abort.signal));
    expect(error).toMatchObject({ name: 'AbortError' });
    expect(verdict(error)).toBe('retry');
  });

  it('is tried again when no answer comes for 20 s', async () => {
    const patience = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(patience.signal);
    answer = () => {
      patience.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    };
    const error = await failure(deliver());
    expect(timeout).toHaveBeenCalledWith(20_000);
    timeout.mockRestore();
    expect(error).toMatchObject({
      name: 'WebhookTimeoutError',
      code: 'webhook_timeout',
      message: 'The receiver did not answer within 20 s.',
    });
    expect(verdict(error)).toBe('retry');
  });

  it('is tried again when nobody is there, or the answer is nonsense', async () => {
    expect(verdict(await failure(deliver({ url: 'http://127.0.0.1:1/' })))).toBe('retry');
    answer = (_response, request) => request.socket.end('nonsense\r\n\r\n');
    expect(verdict(await failure(deliver()))).toBe('retry');
    answer = (response) => response.writeHead(200, { 'x-long': 'a'.repeat(20_000) }).end();
    expect(await failure(deliver())).toMatchObject({ code: 'HPE_HEADER_OVERFLOW' });
  });

  it('waits for a secret that this worker does not have', async () => {
    const error = await failure(deliver({ secret_name: 'ops' }));
    expect(error).toMatchObject({
      code: 'webhook_secret_missing',
      message: 'WEBHOOK_SECRETS of this worker has no secret for ops.',
    });
    expect(verdict(error)).toBe('retry');
    expect(received).toEqual([]);
  });

  it('tells those who read its error neither host nor address, and by the code what it was', async () => {
    const unknown: Resolver = (_host, callback) => {
      callback(Object.assign(new Error('getaddrinfo ENOTFOUND hooks.test'), { code: 'ENOTFOUND' }), []);
    };
    const url = `https://hooks.test:${httpsPort}/`;
    const errors = [
      await failure(deliver({ url: 'http://127.0.0.1:1/' })),
      await failure(deliver({ url }, { resolver: unknown })),
      await failure(deliver({ url }, { resolver: atLoopback })),
      await failure(deliver({ url: `https://other.test:${httpsPort}/` }, { ...named, trusted: certificate })),
    ];
    expect(errors).toMatchObject([
      { code: 'ECONNREFUSED', message: 'The receiver could not be called: ECONNREFUSED.' },
      { code: 'ENOTFOUND', message: 'The receiver could not be called: ENOTFOUND.' },
      { code: 'address_refused', message: 'The host has no address that may be called.' },
      { code: 'ERR_TLS_CERT_ALTNAME_INVALID', message: 'The receiver could not be called: ERR_TLS_CERT_ALTNAME_INVALID.' },
    ]);
    expect(errors.map(verdict)).toEqual(['retry', 'retry', 'retry', 'retry']);
  });

  it('tells nobody the URL when it fails', async () => {
    const errors = [
      await failure(deliver({ url: `${http}/s3cr3t` }, { outboundAllow: [] })),
      await failure(deliver({ url: 'http://127.0.0.1:1/s3cr3t' })),
      await failure(deliver({ url: 'https://s3cr3t@example.com/' })),
      await failure(deliver({ url: 'https://example.com:1/s3cr3t' }, { resolver: atLoopback })),
    ];
    expect(errors.map((error) => (error instanceof Error ? `${error.message} ${error.stack ?? ''}` : '')).join()).not.toContain(
      's3cr3t',
    );
  });
});

describe('a receiver that is not to be called', () => {
  it.each([
    'http://hooks.example/',
    'https://127.0.0.1/',
    'https://2130706433/',
    'https://[::ffff:127.0.0.1]/',
    'https://a:b@example.com/',
  ])('is not: %s', async (url) => {
    const error = await failure(deliver({ url }, { outboundAllow: [] }));
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code: 'webhook_url_refused' });
  });

  it('is not when its name stands for a private address, although a server is there', async () => {
    const error = await failure(
      deliver({ url: `https://hooks.test:${httpsPort}/` }, { resolver: atLoopback, trusted: certificate }),
    );
    expect(error).toBeInstanceOf(OutboundRefusedError);
    expect(received).toEqual([]);
  });

  it('is not when its name comes to stand for a private address between two attempts', async () => {
    let asked = 0;
    const rebinding: Resolver = (_host, callback) => {
      asked += 1;
      callback(null, [{ address: asked === 1 ? '203.0.114.1' : '127.0.0.1', family: 4 }]);
    };
    const delivering = await handler({ outboundAllow: [], resolver: rebinding, trusted: certificate });
    const abort = new AbortController();
    const url = `https://hooks.test:${httpsPort}/`;
    const first = failure(delivering.handle(jobContext(WebhookDeliver, payload({ url }), { signal: abort.signal })));
    setImmediate(() => {
      abort.abort();
    });
    expect(await first).not.toBeInstanceOf(OutboundRefusedError);
    expect(asked).toBe(1);
    expect(await failure(delivering.handle(jobContext(WebhookDeliver, payload({ url }))))).toBeInstanceOf(OutboundRefusedError);
    expect([asked, received.length]).toEqual([2, 0]);
  });

  it('is not when another sends there', async () => {
    answer = (response) => response.writeHead(302, { location: 'http://169.254.169.254/latest/meta-data/' }).end();
    expect(await failure(deliver())).toMatchObject({ status: 302 });
    expect(received).toHaveLength(1);
  });
});

describe('the back-off of a delivery', () => {
  it('lasts for more than three days', () => {
    const waits = Array.from({ length: WebhookDeliver.maxAttempts - 1 }, (_, index) => {
      const verdictOf = judge(WebhookDeliver, WebhookDeliver.retry, index + 1, new Error('x'));
      return verdictOf.kind === 'retry' ? verdictOf.delayMs : 0;
    });
    const total = waits.reduce((sum, ms) => sum + ms, 0);
    expect(total).toBeGreaterThan(3 * 86_400_000);
    expect(total).toBeLessThan(4 * 86_400_000);
    expect(waits[0]).toBeLessThan(6_000);
  });
});
