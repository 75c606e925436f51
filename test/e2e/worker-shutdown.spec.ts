import { Test, type TestingModule } from '@nestjs/testing';
import { SendEmail, catalog } from '@antrean/catalog';
import { JobsModule, QueueService, StatusService, type Job } from '@antrean/jobs';
import { builtApps } from '../support/built-apps.js';
import { eventually } from '../support/eventually.js';
import { payloadOf } from '../support/job-context.js';
import { REDIS_URL, newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { SmtpTestServer } from '../support/smtp-server.js';

jest.setTimeout(180_000);

/** After the grace, for what was told to stop, for Redis to take note, and for a busy machine. */
const ROOM_MS = 5_000;
/** More than are sent within a grace of a second. */
const MAILS = 600;

describe('a worker that is told to end while a mail is being sent', () => {
  const keyPrefix = newKeyPrefix();
  const { start, running, leave } = builtApps('worker', { REDIS_URL, KEY_PREFIX: keyPrefix, WORKER_PORT: '0' });
  const payload = payloadOf(SendEmail, { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi' } });
  let producer: TestingModule;
  let smtp: SmtpTestServer;
  let patient: Readonly<Record<string, string>>;
  let hasty: Readonly<Record<string, string>>;

  beforeAll(async () => {
    smtp = await SmtpTestServer.start();
    patient = { SMTP_URL: smtp.url, SHUTDOWN_GRACE_SEC: '30' };
    hasty = { SMTP_URL: smtp.url, SHUTDOWN_GRACE_SEC: '1' };
    producer = await Test.createTestingModule({
      imports: [
        JobsModule.forProducer({
          definitions: catalog,
          redisUrl: REDIS_URL,
          keyPrefix,
          maxPayloadBytes: 262_144,
          logger: silentLogger,
        }),
      ],
    }).compile();
    await producer.init();
  });

  afterEach(() => {
    smtp.behave();
  });

  afterAll(async () => {
    await producer.close();
    await smtp.stop();
  });

  /** Resolves with the job once the server has its mail whole; it answers when `release` is called. */
  async function holdMail(): Promise<{ readonly jobId: string; readonly release: () => void }> {
    const release = smtp.hold('data');
    const reached = smtp.next('data');
    const { jobId } = await producer.get(QueueService).enqueue(SendEmail, payload);
    await reached;
    return { jobId, release };
  }

  it('takes no more jobs and answers for its health until the mail is out, then ends with 0', async () => {
    const sent = smtp.received.length;
    const worker = await running(patient);
    const url = await worker.url();
    const { jobId, release } = await holdMail();
    worker.kill('SIGTERM');
    await eventually(async () => {
      expect((await fetch(`${url}/health/ready`)).status).toBe(503);
    });
    expect((await fetch(`${url}/health/live`)).status).toBe(200);
    release();
    await expect(worker.exit()).resolves.toEqual({ code: 0, signal: null });
    await expect(producer.get(StatusService).get(jobId)).resolves.toMatchObject({ status: 'succeeded', attempt: 1, crashes: 0 });
    expect(smtp.received).toHaveLength(sent + 1);
  });

  it('under load lets most jobs settle and hands the rest back within its grace: no attempt is used, and none counts as an error', async () => {
    const release = smtp.hold('data');
    const sent = smtp.received.length;
    const results = await producer.get(QueueService).enqueueBulk(
      SendEmail,
      Array.from({ length: MAILS }, () => ({ payload })),
    );
    const ids = results.flatMap((result) => ('accepted' in result ? [result.accepted.jobId] : []));
    expect(ids).toHaveLength(MAILS);
    const worker = await start(hasty);
    await eventually(() => {
      expect(smtp.received.length).toBeGreaterThan(sent + 100);
    }, 60_000);
    const toldAt = performance.now();
    worker.kill('SIGTERM');
    await expect(worker.exit()).resolves.toEqual({ code: 0, signal: null });
    expect(performance.now() - toldAt).toBeLessThan(1_000 + ROOM_MS);
    const after = await jobsOf(ids);
    for (const { status, attempt, crashes, error, runs } of after) {
      expect(status === 'succeeded' || status === 'queued').toBe(true);
      expect({ attempt, crashes, error }).toEqual({ attempt: status === 'succeeded' ? 1 : 0, crashes: 0, error: null });
      expect(runs.every(({ outcome }) => outcome === 'succeeded' || outcome === 'handed_back')).toBe(true);
    }
    expect(after.some(({ status }) => status === 'queued')).toBe(true);
    expect(after.some(({ runs }) => runs.some(({ outcome }) => outcome === 'handed_back'))).toBe(true);
    expect(worker.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);

    release();
    const next = await running(patient);
    await eventually(async () => {
      const { counts } = await producer.get(StatusService).depth(SendEmail.type);
      expect(counts.queued + counts.processing).toBe(0);
    }, 100_000);
    for (const { status, attempt, crashes } of await jobsOf(ids)) {
      expect({ status, attempt, crashes }).toEqual({ status: 'succeeded', attempt: 1, crashes: 0 });
    }
    leave(next);
  });

  const jobsOf = async (ids: readonly string[]): Promise<readonly Job[]> => {
    const jobs = await Promise.all(ids.map((jobId) => producer.get(StatusService).get(jobId)));
    return jobs.filter((job) => job !== undefined);
  };

  it('ends at once with 1 at the second signal', async () => {
    const worker = await running(patient);
    await holdMail();
    worker.kill('SIGTERM');
    await worker.logged('worker draining');
    worker.kill('SIGTERM');
    await expect(worker.exit()).resolves.toEqual({ code: 1, signal: null });
  });
});
