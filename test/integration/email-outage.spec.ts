import { setTimeout as pause } from 'node:timers/promises';
import { Test, type TestingModule } from '@nestjs/testing';
import { catalog, SendEmail } from '@antrean/catalog';
import { JobAbortedError, Snooze, type Checkpoint } from '@antrean/jobs';
import { DeliveryLedger, LedgerAwayError, ShopModule, UnfitDatabaseError, type Database } from '@antrean/shop';
import { EmailSendHandler } from '../../apps/worker/src/handlers/email-send/email-send.handler.js';
import { EmailSendModule } from '../../apps/worker/src/handlers/email-send/email-send.module.js';
import { MailComposer } from '../../apps/worker/src/handlers/email-send/message/mail-composer.js';
import { MailTransport } from '../../apps/worker/src/handlers/email-send/transport/mail-transport.js';
import { Marks } from '../../libs/shop/src/deliveries/marks.js';
import { eventually } from '../support/eventually.js';
import { jobContext, payloadOf, type PlainPayload } from '../support/job-context.js';
import { startJobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';
import { markStates, testDatabases } from '../support/shop-database.js';
import { SmtpTestServer } from '../support/smtp-server.js';
import { untilJob } from '../support/until-job.js';

/** Longer than a few tries of the ledger. */
const OUTAGE_MS = 2_000;
const WAYS = { 'stands still': ['freeze', 'thaw'], 'is killed': ['kill', 'restart'] } as const;
const MAILS = 120;

const payload: PlainPayload<typeof SendEmail> = { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi' } };

const databases = testDatabases('PostgreSQL');
let smtp: SmtpTestServer;
let worker: TestingModule;
let database: Database;

beforeEach(async () => {
  smtp = await SmtpTestServer.start();
  let databaseUrl;
  ({ url: databaseUrl, database } = await databases.migrated());
  const mailing = EmailSendModule.register({
    smtpUrl: smtp.url,
    mailFrom: 'Antrean <antrean@example.com>',
    mailDir: 'unused',
    onUnknown: 'fail',
  });
  const shop = ShopModule.register({ databaseUrl, production: true, logger: silentLogger });
  worker = await Test.createTestingModule({ imports: [shop, mailing] }).compile();
});

afterEach(async () => {
  jest.restoreAllMocks();
  await worker.close();
  await smtp.stop();
});

describe('mails while the database is away', () => {
  it.each(['stands still', 'is killed'] as const)('use no attempt as it %s, and are sent once each', async (way) => {
    const [goes, comes] = WAYS[way];
    const handler = { provide: EmailSendHandler, useFactory: () => worker.get(EmailSendHandler, { strict: false }) };
    const jobs = await startJobsApp(catalog, [handler], { leaseMs: 5_000, types: [SendEmail.type] });
    try {
      const submits = Array.from({ length: MAILS }, () =>
        jobs.queue.enqueue(SendEmail, payloadOf(SendEmail, payload), { maxAttempts: 1 }),
      );
      await Promise.all(submits);
      await eventually(() => {
        expect(smtp.received.length).toBeGreaterThan(MAILS / 10);
      });
      await databases.server[goes]();
      await pause(OUTAGE_MS);
      await databases.server[comes]();
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

describe('one mail while the database is away', () => {
  let email: EmailSendHandler;

  beforeEach(async () => {
    email = worker.get(EmailSendHandler, { strict: false });
    // The ledger is connected.
    await email.handle(jobContext(SendEmail, payload));
    await database.tables.deleteFrom('deliveries').execute();
  });

  it.each(['stands still', 'is killed'] as const)('waits before it is handed over when it %s, and is sent then', async (way) => {
    const [goes, comes] = WAYS[way];
    await databases.server[goes]();
    const running = email.handle(jobContext(SendEmail, payload));
    await pause(OUTAGE_MS);
    await databases.server[comes]();
    const result = await running;
    expect(result).toMatchObject({ via: 'smtp' });
    expect(result).not.toHaveProperty('resent_after_unknown');
    expect(await markStates(database)).toEqual(['sent']);
  });

  it('ends with its signal at once, and a mark that is left all the same is taken away when the database is back', async () => {
    databases.server.freeze();
    const controller = new AbortController();
    const context = jobContext(SendEmail, payload, { signal: controller.signal });
    const running = email.handle(context).catch((error: unknown) => error);
    const reason = new JobAbortedError('shutdown');
    await pause(OUTAGE_MS);
    const start = performance.now();
    controller.abort(reason);
    expect(await running).toBe(reason);
    expect(performance.now() - start).toBeLessThan(1_000);
    databases.server.thaw();
    await eventually(async () => {
      const over = database.tables.selectFrom('deliveries').select('state').where('state', '=', 'failed');
      expect(await over.execute()).toHaveLength(1);
    });
    expect(await markStates(database)).toEqual([]);
    const again = await email.handle(jobContext(SendEmail, payload, { jobId: context.jobId }));
    expect(again).toMatchObject({ via: 'smtp' });
    expect(smtp.received).toHaveLength(2);
  });

  it('is put off when the database is away for longer than it can wait, and leaves no mark', async () => {
    const impatient = new EmailSendHandler(
      worker.get(MailComposer, { strict: false }),
      worker.get(MailTransport, { strict: false }),
      new DeliveryLedger(new Marks(database), 0),
      'fail',
    );
    await databases.server.kill();
    const failure = await impatient.handle(jobContext(SendEmail, payload)).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Snooze);
    expect(failure).toMatchObject({
      delayMs: 5_000,
      message: 'The delivery ledger in the database did not answer. The mail was not sent.',
    });
    await databases.server.restart();
    await eventually(async () => {
      expect(await markStates(database)).toEqual([]);
    });
    expect(smtp.received).toHaveLength(1);
  });

  it('is put off for longer each time in a row, up to five minutes', async () => {
    const ledger = worker.get(DeliveryLedger, { strict: false });
    jest.spyOn(ledger, 'begin').mockRejectedValue(new LedgerAwayError(new Error('It is away.')));
    const checkpoint = kept();
    const delays: unknown[] = [];
    for (const run of [1, 2, 3, 4, 5, 6, 7, 8, 1_000]) {
      await email.handle(jobContext(SendEmail, payload, { run, checkpoint })).catch((error: unknown) => {
        delays.push((error as Snooze).delayMs);
      });
    }
    expect(delays).toEqual([5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 300_000, 300_000, 5_000]);
  });

  it('has 30 seconds of its own from when the ledger has answered, and may have been taken when they are over', async () => {
    const own = new AbortController();
    const { timeout } = AbortSignal;
    const asked: number[] = [];
    jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      asked.push(ms);
      return ms === 30_000 ? own.signal : timeout.call(AbortSignal, ms);
    });
    smtp.hang('data');
    databases.server.freeze();
    const context = jobContext(SendEmail, payload);
    const running = email.handle(context).catch((error: unknown) => error);
    await pause(OUTAGE_MS);
    expect(asked).not.toContain(30_000);
    databases.server.thaw();
    await smtp.next('data');
    own.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    expect(await running).toMatchObject({ code: 'delivery_unknown' });
    expect(context.lines[0]?.fields['err']).toMatchObject({ code: 'smtp_etimedout', fate: 'unknown' });
  });

  describe('whose end the ledger is never told', () => {
    const untold = new Error('The worker ended before.');
    let context: ReturnType<typeof jobContext<typeof SendEmail>>;

    beforeEach(() => {
      const ledger = worker.get(DeliveryLedger, { strict: false });
      jest.spyOn(ledger, 'failed').mockRejectedValue(new LedgerAwayError(untold));
      context = jobContext(SendEmail, payload, { checkpoint: kept() });
    });

    const nextRun = (run: number) =>
      email.handle(jobContext(SendEmail, payload, { jobId: context.jobId, run, checkpoint: context.checkpoint }));

    it('is sent by the next run, for the job knows that the server refused it', async () => {
      smtp.refuse('data', 451, 'Try again later');
      await expect(email.handle(context)).rejects.toMatchObject({ code: 'smtp_451' });
      expect(await markStates(database)).toEqual(['sending']);
      const result = await nextRun(2);
      expect(result).toMatchObject({ via: 'smtp' });
      expect(result).not.toHaveProperty('resent_after_unknown');
    });

    it('is sent by the next run, for the job knows that it was not handed over when the reply of the ledger was lost', async () => {
      const ledger = worker.get(DeliveryLedger, { strict: false });
      const { begin } = ledger;
      const lost = jest.spyOn(ledger, 'begin').mockImplementation(async (...args) => {
        await begin.apply(ledger, args);
        throw new LedgerAwayError(untold);
      });
      await expect(email.handle(context)).rejects.toBeInstanceOf(Snooze);
      await expect(nextRun(2)).rejects.toBeInstanceOf(Snooze);
      lost.mockRestore();
      expect(await markStates(database)).toEqual(['sending']);
      expect(await nextRun(3)).toMatchObject({ via: 'smtp' });
    });
  });

  it('waits for a database that it cannot work on for now', async () => {
    const marks = new Marks(database);
    const ledger = new DeliveryLedger(marks);
    jest.spyOn(marks, 'begin').mockRejectedValueOnce(new UnfitDatabaseError('There is no such table for now.'));
    jest.spyOn(marks, 'sent').mockRejectedValueOnce(new UnfitDatabaseError('There is no such table for now.'));
    const transport = worker.get(MailTransport, { strict: false });
    const waiting = new EmailSendHandler(worker.get(MailComposer, { strict: false }), transport, ledger, 'fail');
    const context = jobContext(SendEmail, payload);
    expect(await waiting.handle(context)).toMatchObject({ via: 'smtp' });
    expect(await markStates(database)).toEqual(['sent']);
    expect(context.lines).toEqual([]);
  });

  it.each(['stands still', 'is killed'] as const)('is recorded when it %s while it is handed over', async (way) => {
    const [goes, comes] = WAYS[way];
    const release = smtp.hold('data');
    const context = jobContext(SendEmail, payload);
    const running = email.handle(context);
    await smtp.next('data');
    await databases.server[goes]();
    release();
    await pause(OUTAGE_MS);
    await databases.server[comes]();
    expect(await running).toMatchObject({ via: 'smtp' });
    expect(await markStates(database)).toEqual(['sent']);
    expect(context.lines).toEqual([]);
  });

  it('succeeds when its time is over by then, and is recorded later', async () => {
    const release = smtp.hold('data');
    const controller = new AbortController();
    const context = jobContext(SendEmail, payload, { signal: controller.signal });
    const running = email.handle(context);
    await smtp.next('data');
    await databases.server.kill();
    release();
    await eventually(() => {
      expect(smtp.received).toHaveLength(2);
    });
    await pause(100);
    controller.abort(new JobAbortedError('timed_out'));
    expect(await running).toMatchObject({ via: 'smtp' });
    await databases.server.restart();
    await eventually(async () => {
      expect(await markStates(database)).toEqual(['sent']);
    });
  });

  it('leaves no mark when the server refuses it meanwhile', async () => {
    const release = smtp.hold('recipient');
    const context = jobContext(SendEmail, payload);
    const running = email.handle(context).catch((error: unknown) => error);
    await smtp.next('recipient');
    smtp.refuse('data', 451, 'Try again later');
    databases.server.freeze();
    release();
    await pause(OUTAGE_MS);
    databases.server.thaw();
    expect(await running).toMatchObject({ code: 'smtp_451' });
    expect(await markStates(database)).toEqual([]);
  });
});

/** As a job keeps it. */
function kept(): Checkpoint {
  let value: unknown;
  return {
    get value() {
      return value;
    },
    save: (next) => {
      value = next;
      return Promise.resolve();
    },
  };
}
