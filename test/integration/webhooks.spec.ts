import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import type { Provider } from '@nestjs/common';
import { Webhook } from 'standardwebhooks';
import { SendEmail, WebhookDeliver } from '@antrean/catalog';
import { JobHandler, isFinal, type Handles, type Job, type JobContext } from '@antrean/jobs';
import { createLogger } from '@antrean/platform';
import { WebhookDeliverModule } from '../../apps/worker/src/handlers/webhook-deliver/webhook-deliver.module.js';
import { webhookDelivery } from '../../apps/worker/src/webhooks/webhook-delivery.js';
import { promote } from '../../libs/jobs/src/store/promote.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { StoredQueue } from '../support/stored-queue.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { ANY_PACE } from '../support/any-pace.js';

interface Received {
  readonly headers: Record<string, string>;
  readonly body: string;
}
interface Message {
  readonly type: string;
  readonly timestamp: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const SECRET = Buffer.alloc(32, 7);
const TOKEN = 's3cr3t-of-the-url';
const keyOf = (name: string, scopes: string): string => `${name}:${createHash('sha256').update(name).digest('hex')}:${scopes}`;
const bearer = (name: string) => ({ Authorization: `Bearer ${name}` });

function deliveryProviders(outboundAllow: readonly string[], slots: number): readonly Provider[] {
  const webhookSecrets = new Map([['shop', [SECRET]]]);
  const concurrency = { [WebhookDeliver.type]: slots };
  return WebhookDeliverModule.register({ outboundAllow, webhookSecrets, slots, concurrency }).providers ?? [];
}

@JobHandler(SendEmail)
class MailHandler implements Handles<typeof SendEmail> {
  async handle({ payload, progress }: JobContext<typeof SendEmail>): Promise<unknown> {
    progress(50, 'half');
    await Promise.resolve();
    if (payload.template === 'broken') throw new Error('no such template');
    return { sent: true };
  }
}

describe('a webhook', () => {
  const received: Received[] = [];
  const workerLog: string[] = [];
  let receiver: Server;
  let port: number;
  let api: TestApi;
  let worker: JobsApp;
  let answer: (response: ServerResponse) => void;

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += String(chunk);
    received.push({ headers: request.headers as Record<string, string>, body });
    answer(response);
  };

  beforeAll(async () => {
    const keyPrefix = newKeyPrefix();
    receiver = createServer((request, response) => void take(request, response));
    await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
    port = (receiver.address() as AddressInfo).port;
    api = await startTestApi({
      KEY_PREFIX: keyPrefix,
      API_KEYS: [keyOf('shop', 'submit+read'), keyOf('mute', 'submit'), keyOf('ops', 'read+manage')].join(),
      OUTBOUND_ALLOW: '127.0.0.1',
      WEBHOOK_SECRETS: `shop=whsec_${SECRET.toString('base64')}`,
    });
    const providers = [MailHandler, ...deliveryProviders(['127.0.0.1'], 100)];
    const logger = createLogger(
      { app: 'worker', level: 'debug', format: 'json' },
      { write: (line: string) => workerLog.push(line) },
    );
    worker = await startJobsApp([SendEmail, WebhookDeliver], providers, { keyPrefix, webhooks: webhookDelivery, logger });
  }, 20_000);

  beforeEach(() => {
    received.length = 0;
    answer = (response) => response.writeHead(204).end();
  });

  afterAll(async () => {
    await worker.close();
    await api.close();
    receiver.close();
    receiver.closeAllConnections();
  });

  const submit = async (webhook: object, { template = 'welcome', key = 'shop', options = {} } = {}) => {
    const payload = { to: 'budi@example.com', template };
    const body = { type: 'email.send', payload, options: { webhook, ...options } };
    const reply = await api.http.post('/jobs').set(bearer(key)).send(body);
    return { status: reply.status, body: reply.body as unknown };
  };
  const accepted = async (...args: Parameters<typeof submit>): Promise<string> => {
    const { status, body } = await submit(...args);
    if (status !== 202) throw new Error(`The submit was answered ${status}: ${JSON.stringify(body)}`);
    return (body as { readonly job_id: string }).job_id;
  };
  const hook = () => ({ url: `http://127.0.0.1:${port}/hook?token=${TOKEN}` });
  const untilReceived = (count: number): Promise<void> =>
    eventually(() => {
      expect(received).toHaveLength(count);
    }, 10_000);
  const verified = (at: number): Message => {
    const { body = '', headers = {} } = received[at] ?? {};
    // What the library verified is what was sent.
    return new Webhook(SECRET.toString('base64')).verify(body, headers) as Message;
  };
  const read = async (jobId: string, key = 'shop') =>
    (await api.http.get(`/jobs/${jobId}`).set(bearer(key))).body as Readonly<Record<string, unknown>>;
  const deliveries = async (): Promise<readonly Job[]> => {
    const ids = workerLog.flatMap((line) => /webhook\.deliver_[0-9A-Z]{26}/.exec(line)?.[0] ?? []);
    const jobs = await Promise.all([...new Set(ids)].map((id) => worker.status.get(id)));
    return jobs.filter((job) => job !== undefined);
  };

  it('hears of a cancel soon, though no worker had a hand in it', async () => {
    const jobId = await accepted(hook(), { options: { delay_sec: 3_600 } });
    expect((await api.http.post(`/jobs/${jobId}/cancel`).set(bearer('ops'))).status).toBe(200);
    await eventually(() => {
      expect(received).toHaveLength(1);
    }, 5_000);
    expect(verified(0)).toMatchObject({ type: 'job.cancelled', data: { job_id: jobId } });
  });

  it('gets one message, signed, with what GET /jobs/{id} shows but for payload and links', async () => {
    const jobId = await accepted(hook());
    await untilReceived(1);
    const { payload: _payload, links: _links, ...shown } = await read(jobId);
    expect(verified(0)).toEqual({ type: 'job.succeeded', timestamp: shown['finished_at'], data: shown });
    expect(shown).toMatchObject({ job_id: jobId, status: 'succeeded', result: { sent: true }, progress: { message: 'half' } });
    expect(received[0]?.headers['traceparent']).toContain(String(shown['trace_id']));
  });

  it('is told of a failure with the error and the runs', async () => {
    const jobId = await accepted(hook(), { template: 'broken', options: { max_attempts: 1 } });
    await untilReceived(1);
    const { payload: _payload, links: _links, ...shown } = await read(jobId);
    expect(verified(0)).toEqual({ type: 'job.failed', timestamp: shown['finished_at'], data: shown });
    expect(shown).toMatchObject({ error: 'no such template', attempts: [{ number: 1, outcome: 'failed' }] });
  });

  it('is told only what it asked for', async () => {
    const quiet = await accepted({ ...hook(), events: ['job.failed', 'job.cancelled', 'job.expired'] });
    await worker.until(quiet, ({ status }) => isFinal(status));
    const jobId = await accepted({ ...hook(), events: ['job.succeeded'] });
    await untilReceived(1);
    expect(verified(0).data['job_id']).toBe(jobId);
  });

  it('whose receiver is away for ten minutes gets its message once when it is back', async () => {
    const { link } = worker;
    const later = async (ms: number): Promise<void> => {
      await link.redis.set(link.keys(WebhookDeliver.type).clock, ms);
      await promote(link, WebhookDeliver.type, { limit: 64, keepFinished: true, pace: ANY_PACE });
    };
    let refused = 0;
    answer = (response) => {
      refused += 1;
      response.destroy();
    };
    const until = (count: number): Promise<void> =>
      eventually(async () => {
        expect(refused).toBe(count);
        expect((await deliveries()).filter(({ status }) => status === 'retrying')).toHaveLength(1);
      }, 10_000);
    const jobId = await accepted(hook());
    await until(1);
    await later(10_000);
    await until(2);
    await later(10 * 60_000);
    await until(3);
    received.length = 0;
    answer = (response) => response.writeHead(200).end();
    await later(60 * 60_000);
    await untilReceived(1);
    await eventually(async () => {
      expect((await deliveries()).filter(({ status }) => !isFinal(status))).toEqual([]);
    });
    expect(verified(0)).toMatchObject({ type: 'job.succeeded', data: { job_id: jobId } });
    expect(received).toHaveLength(1);
    await link.redis.del(link.keys(WebhookDeliver.type).clock);
  });

  it('shows its URL to nobody: not in a log, not in an answer, and of its delivery to the scope manage only', async () => {
    const jobId = await accepted(hook());
    await untilReceived(1);
    const [delivery] = (await deliveries()).slice(-1);
    await worker.until(delivery?.jobId ?? '', ({ status }) => isFinal(status));
    const refusal = (await submit({ url: `http://example.com/${TOKEN}` })).body;
    const unsigned = (await submit(hook(), { key: 'mute' })).body;
    const shown = [await read(jobId), await read(jobId, 'ops'), await read(delivery?.jobId ?? ''), refusal, unsigned];
    expect(JSON.stringify(shown)).not.toContain(TOKEN);
    expect(JSON.stringify(api.log)).not.toContain(TOKEN);
    expect(workerLog.join('')).toContain(jobId);
    expect(workerLog.join('')).not.toContain(TOKEN);
    expect(await read(delivery?.jobId ?? '')).toMatchObject({ type: 'webhook.deliver', payload: { url: '[redacted]' } });
    expect(await read(delivery?.jobId ?? '', 'ops')).toMatchObject({ payload: { url: hook().url, secret_name: 'shop' } });
  });

  it.each([
    ['http://example.com/', '/url', 'url must be https; http is for the hosts in OUTBOUND_ALLOW only'],
    [
      'https://169.254.169.254/latest',
      '/url',
      'url must not lead to a private, local or reserved address; OUTBOUND_ALLOW may allow its host',
    ],
    ['https://0xa.1/', '/url', undefined],
    ['https://localhost/', '/url', undefined],
    ['https://[::ffff:10.0.0.1]/', '/url', undefined],
    [
      'https://a:b@example.com/',
      '/url',
      'url must be an https: or http: URL of at most 2048 printable ASCII characters, without user',
    ],
  ])('is refused at the submit: %s', async (url, path, detail) => {
    const { status, body } = await submit({ url });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: `#/options/webhook${path}`, ...(detail !== undefined && { detail }) }],
    });
  });

  it('is refused when there is nothing to sign with', async () => {
    const { status, body } = await submit(hook(), { key: 'mute' });
    expect(status).toBe(400);
    const detail = 'webhook needs a secret to sign with, and WEBHOOK_SECRETS of this api has none for mute';
    expect(body).toMatchObject({ code: 'invalid_request', errors: [{ pointer: '#/options/webhook', detail }] });
  });

  it('cannot be called by a job that a client submits, who could sign as another', async () => {
    const payload = { url: hook().url, secret_name: 'shop', message_id: 'msg_1', body: '{}' };
    const reply = await api.http.post('/jobs').set(bearer('shop')).send({ type: 'webhook.deliver', payload });
    const { status, body } = { status: reply.status, body: reply.body as unknown };
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'unknown_job_type' });
    expect(JSON.stringify(body)).not.toContain(TOKEN);
  });

  it('cannot be made to sign something else by a replay', async () => {
    await accepted(hook());
    await untilReceived(1);
    const [delivery] = (await deliveries()).slice(-1);
    await worker.until(delivery?.jobId ?? '', ({ status }) => isFinal(status));
    const replay = (body: object) =>
      api.http
        .post(`/jobs/${delivery?.jobId ?? ''}/replay`)
        .set(bearer('ops'))
        .send(body);
    const payload = { url: hook().url, secret_name: 'shop', message_id: 'msg_1', body: '{}' };
    expect((await replay({ payload })).status).toBe(400);
    expect((await replay({})).status).toBe(202);
    await untilReceived(2);
    expect(received[1]?.headers['webhook-id']).toBe(received[0]?.headers['webhook-id']);
    expect(received[1]?.body).toBe(received[0]?.body);
  });
});

describe('a receiver that hangs', () => {
  const held: Socket[] = [];
  const received: string[] = [];
  const silent = createTcpServer((socket) => held.push(socket.on('error', () => undefined)));
  const willing = createServer((request, response) => {
    received.push(request.url ?? '');
    response.writeHead(204).end();
  });
  let worker: JobsApp;

  const portOf = async (server: Server | typeof silent): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return (server.address() as AddressInfo).port;
  };

  beforeAll(async () => {
    worker = await startJobsApp([WebhookDeliver], deliveryProviders(['127.0.0.1', 'localhost'], 8), {
      concurrency: { [WebhookDeliver.type]: 8 },
      shutdownGraceMs: 0,
    });
  });

  afterAll(async () => {
    await worker.close();
    for (const socket of held) socket.destroy();
    silent.close();
    willing.close();
  });

  it('keeps no message from others, and costs those that wait for it no attempt', async () => {
    const [silentPort, willingPort] = [await portOf(silent), await portOf(willing)];
    const submit = (count: number, url: string) =>
      worker.queue.enqueueBulk(
        WebhookDeliver,
        Array.from({ length: count }, (_, at) => ({
          payload: { url, secret_name: 'shop', message_id: `msg_${at}`, body: '{}' },
        })),
      );
    const results = await submit(20, `http://127.0.0.1:${silentPort}/`);
    await eventually(() => {
      expect(held).toHaveLength(2);
    });
    await submit(3, `http://localhost:${willingPort}/hook`);
    await eventually(() => {
      expect(received).toHaveLength(3);
    }, 5_000);
    await eventually(async () => {
      const { counts } = await StoredQueue.of(worker.link, WebhookDeliver.type).depth();
      expect(counts).toMatchObject({ processing: 2, scheduled: 18, succeeded: 3 });
    });
    expect(held).toHaveLength(2);
    const [last] = results.slice(-1);
    const job = last !== undefined && 'accepted' in last ? await worker.status.get(last.accepted.jobId) : undefined;
    expect(job).toMatchObject({ attempt: 0, runs: [{ outcome: 'snoozed' }] });
  });
});
