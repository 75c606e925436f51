import { catalog, SendEmail } from '@antrean/catalog';
import { DuplicateJobError, InvalidPayloadError, isFinal, type Job } from '@antrean/jobs';
import { DeliveryLedger } from '@antrean/shop';
import { EmailSendModule } from '../../apps/worker/src/handlers/email-send/email-send.module.js';
import { Marks } from '../../libs/shop/src/deliveries/marks.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { payloadOf, type PlainPayload } from '../support/job-context.js';
import { testDatabases } from '../support/shop-database.js';
import { SmtpTestServer } from '../support/smtp-server.js';

const fields: PlainPayload<typeof SendEmail> = { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi' } };
const payload = payloadOf(SendEmail, fields);
const ended = ({ status }: Job) => isFinal(status);

const databases = testDatabases('SQLite');
let server: SmtpTestServer;
let jobs: JobsApp;

beforeEach(async () => {
  server = await SmtpTestServer.start();
  const email = EmailSendModule.register({
    smtpUrl: server.url,
    mailFrom: 'Antrean <antrean@example.com>',
    mailDir: 'unused',
    onUnknown: 'resend',
  });
  const { database } = await databases.migrated();
  const ledger = { provide: DeliveryLedger, useValue: new DeliveryLedger(new Marks(database)) };
  jobs = await startJobsApp(catalog, [...(email.providers ?? []), ledger], { types: [SendEmail.type] });
});

afterEach(async () => {
  await jobs.close();
  await server.stop();
});

describe('a job of email.send', () => {
  it('ends with a mail at the server', async () => {
    const { jobId } = await jobs.queue.enqueue(SendEmail, payload);
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'succeeded', attempt: 1, error: null });
    expect(job.result).toEqual({
      message_id: server.received[0]?.email.messageId,
      accepted: ['budi@example.com'],
      response: '250 Taken as 1',
      via: 'smtp',
    });
    expect(server.received).toHaveLength(1);
  });

  it('succeeds after refusals that pass, waiting in between no longer than its back-off allows', async () => {
    server.refuse('data', 451, 'Try again later', 2);
    const { jobId } = await jobs.queue.enqueue(SendEmail, payload, {
      backoff: { kind: 'exponential', baseMs: 40, factor: 2, capMs: 1_000 },
    });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'succeeded', attempt: 3 });
    expect(job.runs.map(({ outcome, error }) => [outcome, error?.code])).toEqual([
      ['failed', 'smtp_451'],
      ['failed', 'smtp_451'],
      ['succeeded', undefined],
    ]);
    const waits = job.runs.map(
      ({ finishedAt, nextAttemptAt }) => (nextAttemptAt?.getTime() ?? NaN) - (finishedAt?.getTime() ?? NaN),
    );
    expect(waits[0]).toBeLessThanOrEqual(40);
    expect(waits[1]).toBeLessThanOrEqual(80);
    expect(server.received).toHaveLength(1);
  });

  it('fails at once when the server refuses for good', async () => {
    server.refuse('recipient', 550, 'No such user');
    const { jobId } = await jobs.queue.enqueue(SendEmail, payload);
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'failed', attempt: 1, error: { code: 'smtp_550' } });
    expect(job.runs).toHaveLength(1);
  });

  it('times out with a server that hangs, and lets go of the connection', async () => {
    server.hang('recipient');
    const { jobId } = await jobs.queue.enqueue(SendEmail, payload, { timeoutMs: 200, maxAttempts: 1 });
    const job = await jobs.until(jobId, ended);
    expect(job).toMatchObject({ status: 'failed', runs: [{ outcome: 'timed_out' }] });
    await server.untilIdle();
    expect(server.received).toEqual([]);
  });

  it('is one job for one message key', async () => {
    const keyed = payloadOf(SendEmail, { ...fields, message_key: 'order-42' });
    const first = await jobs.queue.enqueue(SendEmail, keyed);
    const again: unknown = await jobs.queue.enqueue(SendEmail, keyed).catch((error: unknown) => error);
    expect(again).toBeInstanceOf(DuplicateJobError);
    expect(again).toMatchObject({ jobId: first.jobId, dedupeKey: 'order-42' });
  });

  it('is refused at submit when a field could split a header', async () => {
    for (const wrong of [{ subject: 'Hi\r\nBcc: eve@example.com' }, { to: 'budi@example.com\nBcc: eve@example.com' }]) {
      const refused: unknown = await jobs.queue
        .enqueue(SendEmail, payloadOf(SendEmail, { ...fields, ...wrong }))
        .catch((error: unknown) => error);
      expect(refused).toBeInstanceOf(InvalidPayloadError);
    }
    expect(await jobs.status.depth(SendEmail.type)).toMatchObject({ counts: { queued: 0, processing: 0 } });
  });
});
