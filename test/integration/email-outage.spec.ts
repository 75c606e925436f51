import { setTimeout as pause } from 'node:timers/promises';
import { Test, type TestingModule } from '@nestjs/testing';
import { catalog, SendEmail } from '@antrean/catalog';
import { JobAbortedError, Snooze } from '@antrean/jobs';
import { closeRedis, connectRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { EmailSendHandler } from '../../apps/worker/src/handlers/email-send/email-send.handler.js';
import { EmailSendModule } from '../../apps/worker/src/handlers/email-send/email-send.module.js';
import { RedisDeliveryLedger } from '../../apps/worker/src/handlers/email-send/ledger/redis-delivery-ledger.js';
import { MailComposer } from '../../apps/worker/src/handlers/email-send/message/mail-composer.js';
import { MailTransport } from '../../apps/worker/src/handlers/email-send/transport/mail-transport.js';
import { eventually } from '../support/eventually.js';
import { jobContext, payloadOf, type PlainPayload } from '../support/job-context.js';
import { startJobsApp } from '../support/jobs-app.js';
import { newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { SmtpTestServer } from '../support/smtp-server.js';
import { TestRedis } from '../support/test-redis.js';
import { untilJob } from '../support/until-job.js';

jest.setTimeout(60_000);

/** Longer than the ledger waits for one answer. */
const OUTAGE_MS = 3_000;
const WAYS = { 'stands still': ['freeze', 'thaw'], 'is killed': ['kill', 'restart'] } as const;
const MAILS = 120;

const payload: PlainPayload<typeof SendEmail> = { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi' } };

let server: TestRedis;
let smtp: SmtpTestServer;
let keyPrefix: string;
let redis: RedisConnection;

beforeAll(async () => {
  server = await TestRedis.start();
});

afterAll(() => server.stop());

beforeEach(async () => {
  keyPrefix = newKeyPrefix();
  smtp = await SmtpTestServer.start();
  redis = connectRedis(server.url, { name: 'test', logger: silentLogger });
  await waitUntilReady(redis, 5_000);
});

afterEach(async () => {
  closeRedis(redis);
  await smtp.stop();
});

function mailing() {
  return EmailSendModule.register({
    smtpUrl: smtp.url,
    mailFrom: 'Antrean <antrean@example.com>',
    mailDir: 'unused',
    onUnknown: 'fail',
    redisUrl: server.url,
    keyPrefix,
    logger: silentLogger,
  });
}

async function ledgerStates(): Promise<(string | null)[]> {
  await waitUntilReady(redis, 5_000);
  const keys = await redis.keys(`${keyPrefix}:{email.send}:delivery:*`);
  return Promise.all(keys.map((key) => redis.hget(key, 'state')));
}

describe('mails while Redis is away', () => {
  it.each(['stands still', 'is killed'] as const)('use no attempt as it %s, and are sent once each', async (way) => {
    const [goes, comes] = WAYS[way];
    const jobs = await startJobsApp(catalog, mailing().providers ?? [], {
      redisUrl: server.url,
      keyPrefix,
      leaseMs: 5_000,
      types: [SendEmail.type],
    });
    try {
      const submits = Array.from({ length: MAILS }, () =>
        jobs.queue.enqueue(SendEmail, payloadOf(SendEmail, payload), { maxAttempts: 1 }),
      );
      await Promise.all(submits);
      await eventually(() => {
        expect(smtp.received.length).toBeGreaterThan(MAILS / 10);
      });
      await server[goes]();
      await pause(OUTAGE_MS);
      await server[comes]();
      for (const { jobId } of await Promise.all(submits)) {
        expect(await untilJob(jobs, jobId, ({ finishedAt }) => finishedAt !== null)).toMatchObject({
          status: 'succeeded',
          attempt: 1,
        });
      }
      expect(smtp.received).toHaveLength(MAILS);
    } finally {
      await jobs.close();
    }
  });
});

describe('one mail while Redis is away', () => {
  let module: TestingModule;
  let email: EmailSendHandler;

  beforeEach(async () => {
    module = await Test.createTestingModule({ imports: [mailing()] }).compile();
    email = module.get(EmailSendHandler, { strict: false });
    // The ledger is connected.
    await email.handle(jobContext(SendEmail, payload));
    await redis.flushall();
  });

  afterEach(() => module.close());

  it.each(['stands still', 'is killed'] as const)('waits before it is handed over when it %s, and is sent then', async (way) => {
    const [goes, comes] = WAYS[way];
    await server[goes]();
    const running = email.handle(jobContext(SendEmail, payload));
    await pause(OUTAGE_MS);
    await server[comes]();
    const result = await running;
    expect(result).toMatchObject({ via: 'smtp' });
    expect(result).not.toHaveProperty('resent_after_unknown');
    expect(await ledgerStates()).toEqual(['sent']);
  });

  it('ends with its signal at once, and a mark that is left all the same is taken away when Redis is back', async () => {
    server.freeze();
    const controller = new AbortController();
    const context = jobContext(SendEmail, payload, { signal: controller.signal });
    const running = email.handle(context).catch((error: unknown) => error);
    const reason = new JobAbortedError('shutdown');
    await pause(OUTAGE_MS);
    const start = performance.now();
    controller.abort(reason);
    expect(await running).toBe(reason);
    expect(performance.now() - start).toBeLessThan(1_000);
    server.thaw();
    await eventually(async () => {
      expect(await ledgerStates()).toEqual([]);
    });
    const again = await email.handle(jobContext(SendEmail, payload, { jobId: context.jobId }));
    expect(again).toMatchObject({ via: 'smtp' });
    expect(smtp.received).toHaveLength(2);
  });

  it('is put off when Redis is away for longer than it can wait, and leaves no mark', async () => {
    const connection = connectRedis(server.url, { name: 'impatient', logger: silentLogger, commandTimeoutMs: 500 });
    const ledger = new RedisDeliveryLedger(connection, keyPrefix, 0);
    const impatient = new EmailSendHandler(
      module.get(MailComposer, { strict: false }),
      module.get(MailTransport, { strict: false }),
      ledger,
      'fail',
    );
    await waitUntilReady(connection, 5_000);
    server.freeze();
    const failure = await impatient.handle(jobContext(SendEmail, payload)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Snooze);
    expect(failure).toMatchObject({ message: 'The delivery ledger in Redis did not answer. The mail was not sent.' });
    server.thaw();
    await eventually(async () => {
      expect(await ledgerStates()).toEqual([]);
    });
    ledger.onApplicationShutdown();
    expect(smtp.received).toHaveLength(1);
  });

  it.each(['stands still', 'is killed'] as const)('is recorded when it %s while it is handed over', async (way) => {
    const [goes, comes] = WAYS[way];
    const release = smtp.hold('data');
    const context = jobContext(SendEmail, payload);
    const running = email.handle(context);
    await smtp.next('data');
    await server[goes]();
    release();
    await pause(OUTAGE_MS);
    await server[comes]();
    expect(await running).toMatchObject({ via: 'smtp' });
    expect(await ledgerStates()).toEqual(['sent']);
    expect(context.lines).toEqual([]);
  });

  it('succeeds when its time is over by then, and is recorded later', async () => {
    const release = smtp.hold('data');
    const controller = new AbortController();
    const context = jobContext(SendEmail, payload, { signal: controller.signal });
    const running = email.handle(context);
    await smtp.next('data');
    await server.kill();
    release();
    await eventually(() => {
      expect(smtp.received).toHaveLength(2);
    });
    await pause(100);
    controller.abort(new JobAbortedError('timed_out'));
    expect(await running).toMatchObject({ via: 'smtp' });
    await server.restart();
    await eventually(async () => {
      expect(await ledgerStates()).toEqual(['sent']);
    });
  });

  it('leaves no mark when the server refuses it meanwhile', async () => {
    const release = smtp.hold('recipient');
    const context = jobContext(SendEmail, payload);
    const running = email.handle(context).catch((error: unknown) => error);
    await smtp.next('recipient');
    smtp.refuse('data', 451, 'Try again later');
    server.freeze();
    release();
    await pause(OUTAGE_MS);
    server.thaw();
    expect(await running).toMatchObject({ code: 'smtp_451' });
    expect(await ledgerStates()).toEqual([]);
  });
});
