import { IsString } from 'class-validator';
import {
  JobHandler,
  WorkerHealth,
  defineJob,
  type Handles,
  type JobContext,
  type WebhookDelivery,
  type WebhookEvent,
  type WebhookMessage,
} from '@antrean/jobs';
import { createLogger } from '@antrean/platform';
import type { MaintenanceContext } from '../../libs/jobs/src/maintenance/maintenance-context.js';
import { Relay } from '../../libs/jobs/src/maintenance/relay.js';
import { storedWebhook } from '../../libs/jobs/src/store/record.js';
import { EnqueueBatcher } from '../../libs/jobs/src/services/enqueue-batcher.js';
import { Rouser } from '../../libs/jobs/src/services/rouser.js';
import { ReplicaGate } from '../../libs/jobs/src/store/replicated.js';
import { JobJournal } from '../../libs/jobs/src/telemetry/job-journal.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';
import { StoredQueue } from '../support/stored-queue.js';

class TellPayload {
  @IsString() id!: string;
  @IsString() url!: string;
  @IsString() about!: string;
}
const Tell = defineJob('tell.end', { payload: TellPayload });

class TaskPayload {
  @IsString() plan!: string;
}
const Task = defineJob('told.task', { payload: TaskPayload, attempts: 1 });

const DAY = 86_400_000;

const URL_WITH_SECRET = 'https://example.com/hook?token=s3cr3t';

describe('a relay', () => {
  let opened: StoredQueue;
  let queue: StoredQueue;
  let told: StoredQueue;
  let messages: WebhookMessage[];
  const errors: unknown[] = [];
  const journaled: string[] = [];

  beforeAll(async () => {
    opened = await StoredQueue.open();
  });

  beforeEach(() => {
    queue = opened.another();
    told = opened.another();
    messages = [];
    errors.length = 0;
    journaled.length = 0;
  });

  afterAll(async () => {
    await opened.close();
  });

  const logger: typeof silentLogger = Object.assign(Object.create(silentLogger) as typeof silentLogger, {
    error: (fields: unknown) => errors.push(fields),
  });
  const newRelay = (part: Partial<MaintenanceContext> = {}): Relay => {
    const rouser = new Rouser(queue.link, { logger: silentLogger });
    const delivery: WebhookDelivery<TellPayload> = {
      definition: defineJob(told.type, { payload: TellPayload }),
      expiresInMs: DAY,
      payloadOf: (message) => {
        messages.push(message);
        return { id: message.id, url: message.url, about: message.job.jobId };
      },
    };
    return new Relay(queue.type, delivery, {
      link: queue.link,
      worker: queue.newWorker().identity,
      // It uses nothing else of a worker's options, and what it tells is not looked at here.
      options: { logger } as MaintenanceContext['options'],
      journal: Object.assign(Object.create(JobJournal.prototype) as JobJournal, {
        submitted: ({ jobId }: { readonly jobId: string }) => journaled.push(jobId),
      }),
      rouser,
      batcher: new EnqueueBatcher(queue.link, rouser, new ReplicaGate(queue.link), {}),
      ...part,
    });
  };
  const cancelled = async (count: number, events?: readonly WebhookEvent[]): Promise<readonly string[]> => {
    const webhook = storedWebhook({ url: URL_WITH_SECRET, secretName: 'shop', ...(events !== undefined && { events }) });
    const ulids = await queue.add(Array.from({ length: count }, () => ({ facts: { webhook, userId: 'u-1' } })));
    for (const ulid of ulids) await queue.cancel([ulid]);
    return ulids;
  };
  const waiting = () => queue.redis.llen(queue.keys.outgoing);
  const jobs = async (): Promise<number> => (await told.depth()).counts.queued;

  it('makes one job of each event, which continues trace and owner of the job that ended', async () => {
    const ulids = await cancelled(3);
    expect(await newRelay().tick()).toBe(15_000);
    expect(await waiting()).toBe(0);
    const { claimed } = await told.newWorker().exchange({ want: 9 });
    expect(claimed.map(({ record }) => (JSON.parse(record.payloadJson) as TellPayload).about)).toEqual(
      ulids.map((ulid) => `${queue.type}_${ulid}`),
    );
    const { record } = await queue.read(ulids[0] ?? '');
    expect(claimed[0]?.record.trace.traceId).toBe(record.trace.traceId);
    expect(claimed[0]?.record.facts).toEqual({ userId: 'u-1' });
    expect((claimed[0]?.record.expiresAt ?? 0) - (claimed[0]?.record.createdAt ?? 0)).toBe(DAY);
    expect(messages[0]).toMatchObject({
      id: `msg_${ulids[0] ?? ''}_${record.revision}_${record.finishedAt}`,
      event: 'job.cancelled',
      url: URL_WITH_SECRET,
      secretName: 'shop',
      job: {
        jobId: `${queue.type}_${ulids[0] ?? ''}`,
        status: 'cancelled',
        payload: null,
        finishedAt: new Date(record.finishedAt),
      },
    });
  });

  it('takes many in batches, one right after the other', async () => {
    await cancelled(20);
    const relay = newRelay();
    expect(await relay.tick()).toBe(0);
    expect(await waiting()).toBe(4);
    expect(await relay.tick()).toBe(15_000);
    expect([await waiting(), await jobs()]).toEqual([0, 20]);
  });

  it('hands on nothing that the webhook did not ask for', async () => {
    await cancelled(1, ['job.succeeded', 'job.failed']);
    const [wanted] = await cancelled(1, ['job.cancelled']);
    await newRelay().tick();
    expect([await waiting(), await jobs()]).toEqual([0, 1]);
    expect(messages.map(({ job }) => job.jobId)).toEqual([`${queue.type}_${wanted ?? ''}`]);
  });

  it('that comes at the same time as another makes no job twice', async () => {
    await cancelled(30);
    const relays = [newRelay(), newRelay(), newRelay()];
    while ((await waiting()) > 0) await Promise.all(relays.map((relay) => relay.tick()));
    expect(await jobs()).toBe(30);
  });

  it('that dies after its jobs were accepted leaves events that give no second job', async () => {
    await cancelled(2);
    const dying = Object.assign(Object.create(queue.link) as typeof queue.link, {
      redis: Object.assign(Object.create(queue.redis) as typeof queue.redis, {
        callBuffer: () => Promise.reject(new Error('The process was killed.')),
      }),
    });
    await expect(newRelay({ link: dying }).tick()).rejects.toThrow('killed');
    expect([await waiting(), await jobs()]).toEqual([2, 2]);
    await newRelay().tick();
    expect([await waiting(), await jobs()]).toEqual([0, 2]);
  });

  it('keeps the events while their jobs are not accepted', async () => {
    await cancelled(2);
    const batcher = Object.assign(Object.create(EnqueueBatcher.prototype) as EnqueueBatcher, {
      addAll: () => Promise.resolve([{ error: new Error('Redis is away.') }, { error: new Error('Redis is away.') }]),
    });
    await expect(newRelay({ batcher }).tick()).rejects.toThrow('away');
    expect(await waiting()).toBe(2);
  });

  it('notes each job that was accepted, also behind one that was not', async () => {
    await cancelled(3);
    const outcomes = [{ kind: 'accepted', status: 'queued', createdAt: 1 }, { error: new Error('Redis is away.') }];
    const batcher = Object.assign(Object.create(EnqueueBatcher.prototype) as EnqueueBatcher, {
      addAll: () => Promise.resolve([outcomes[0], outcomes[1], outcomes[0]]),
    });
    await expect(newRelay({ batcher }).tick()).rejects.toThrow('away');
    expect([await waiting(), journaled.length]).toEqual([3, 2]);
  });

  it('lets an event that nobody can read not keep those behind it, and says of which job it was', async () => {
    const [ulid] = await queue.add([{}]);
    const nonsense = Buffer.concat([Buffer.from(ulid ?? ''), Buffer.from([1, 0, 0, 0, 9])]);
    await queue.redis.rpush(queue.keys.outgoing, nonsense);
    await cancelled(1);
    await newRelay().tick();
    expect([await waiting(), await jobs()]).toEqual([0, 1]);
    expect(errors).toEqual([{ job_id: `${queue.type}_${ulid ?? ''}`, err: expect.any(Error) as Error }]);
  });
});

@JobHandler(Tell)
class TellHandler implements Handles<typeof Tell> {
  readonly told: TellPayload[] = [];

  handle({ payload }: JobContext<typeof Tell>): Promise<void> {
    this.told.push(payload);
    return Promise.resolve();
  }
}

@JobHandler(Task)
class TaskHandler implements Handles<typeof Task> {
  private letGo: () => void = () => undefined;
  private readonly held = new Promise<void>((resolve) => {
    this.letGo = resolve;
  });

  release(): void {
    this.letGo();
  }

  handle({ payload, signal }: JobContext<typeof Task>): Promise<unknown> {
    if (payload.plan === 'hold') return this.held;
    if (payload.plan === 'fail') return Promise.reject(new Error('x'));
    if (payload.plan === 'succeed') return Promise.resolve({ ok: true });
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        reject(signal.reason as Error);
      });
    });
  }
}

describe('an application that was not given how webhooks are told', () => {
  it('refuses a job with a webhook, and says what is to be done', async () => {
    const { queue, link, close } = await startJobsApp([Task], [TaskHandler]);
    const options = { webhook: { url: URL_WITH_SECRET, secretName: 'default' } };
    const violations = [
      {
        pointer: '/webhook',
        detail: 'would be told by nobody: give JobsModule the option webhooks, here and in the workers of the type',
      },
    ];
    await expect(queue.enqueue(Task, { plan: 'succeed' }, options)).rejects.toMatchObject({ violations });
    expect(await queue.enqueueBulk(Task, [{ payload: { plan: 'succeed' }, options }])).toMatchObject([
      { refused: { violations } },
    ]);
    expect(await link.redis.exists(link.keys(Task.type).seq)).toBe(0);
    await close();
  });

  it('leaves the ends of its runs to others, and says so once', async () => {
    const lines: string[] = [];
    const logger = createLogger({ app: 'worker', level: 'warn', format: 'json' }, { write: (line: string) => lines.push(line) });
    const { link, close } = await startJobsApp([Task], [TaskHandler], { logger });
    const queue = StoredQueue.of(link, Task.type);
    const facts = { webhook: storedWebhook({ url: URL_WITH_SECRET, secretName: 'default' }) };
    await queue.add([1, 2].map(() => ({ facts, payloadJson: '{"plan":"succeed"}' })));
    await eventually(async () => {
      expect((await queue.depth()).outgoing).toBe(2);
    });
    await close();
    const of = lines.filter((line) => line.includes(Task.type)).map((line) => JSON.parse(line) as unknown);
    const msg = 'ends of jobs with a webhook are left to other workers, this one was given no webhooks';
    expect(of).toMatchObject([{ level: 'warn', job_type: Task.type, msg }]);
  });
});

describe('a worker', () => {
  let jobs: JobsApp;

  beforeEach(async () => {
    const webhooks: WebhookDelivery<TellPayload> = {
      definition: Tell,
      expiresInMs: DAY,
      payloadOf: ({ id, event, url, job }) => ({ id, url, about: `${event} ${job.jobId} ${JSON.stringify(job.result)}` }),
    };
    const concurrency = { [Task.type]: 20 };
    jobs = await startJobsApp([Task, Tell], [TaskHandler, TellHandler], { webhooks, concurrency });
  });

  afterEach(async () => {
    await jobs.close();
  });

  const webhook = { url: URL_WITH_SECRET, secretName: 'default' };
  const told = () => jobs.app.get(TellHandler).told.map(({ about }) => about);
  const untilTold = (about: string) =>
    eventually(() => {
      expect(told()).toContain(about);
    }, 5_000);

  it('has the end of a run told at once', async () => {
    const { jobId: succeeds } = await jobs.queue.enqueue(Task, { plan: 'succeed' }, { webhook });
    await untilTold(`job.succeeded ${succeeds} {"ok":true}`);
    const { jobId: fails } = await jobs.queue.enqueue(Task, { plan: 'fail' }, { webhook });
    await untilTold(`job.failed ${fails} null`);
    const { jobId: stops } = await jobs.queue.enqueue(Task, { plan: 'wait' }, { webhook });
    await jobs.until(stops, ({ status }) => status === 'processing');
    await jobs.control.cancel(stops);
    await untilTold(`job.cancelled ${stops} null`);
    expect(told()).toHaveLength(3);
  });

  it('that stops hands on what its last runs brought about', async () => {
    const { app, link, queue, until } = jobs;
    const submits = Array.from({ length: 20 }, () => ({ payload: { plan: 'hold' }, options: { webhook } }));
    const results = await queue.enqueueBulk(Task, submits);
    for (const result of results) {
      if ('accepted' in result) await until(result.accepted.jobId, ({ status }) => status === 'processing');
    }
    const [outgoing, ready] = [link.keys(Task.type).outgoing, link.keys(Tell.type).ready[5] ?? ''];
    const closing = jobs.close();
    await eventually(() => {
      expect(app.get(WorkerHealth).ready()).toBe(false);
    });
    app.get(TaskHandler).release();
    await closing;
    const later = await StoredQueue.open();
    const left = [await later.redis.llen(outgoing), await later.redis.llen(ready)];
    await later.close();
    expect(left).toEqual([0, 20]);
  });

  it('has a job that expired told at once', async () => {
    const { jobId } = await jobs.queue.enqueue(Task, { plan: 'succeed' }, { webhook, delayMs: 60_000, expiresInMs: 60_001 });
    await jobs.queue.enqueue(Task, { plan: 'succeed' }, { delayMs: 10 });
    await jobs.link.redis.set(jobs.link.keys(Task.type).clock, 120_000);
    await untilTold(`job.expired ${jobId} null`);
  });
});
