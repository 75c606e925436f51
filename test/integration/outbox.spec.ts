import { Test, type TestingModule } from '@nestjs/testing';
import { IsInt } from 'class-validator';
import { register } from 'prom-client';
import {
  ControlService,
  InvalidOptionsError,
  InvalidPayloadError,
  JobsModule,
  Outbox,
  OutboxModule,
  OutboxStore,
  QueueService,
  QueueUnavailableError,
  StatusService,
  defineJob,
  type Job,
  type OutboxOptions,
} from '@antrean/jobs';
import { OUTBOX_METRICS_PROVIDERS } from '../../libs/jobs/src/outbox/outbox-metrics.js';
import { OutboxRelay } from '../../libs/jobs/src/outbox/outbox-relay.js';
import { freePort } from '../support/free-port.js';
import { MemoryOutboxStore, type MemoryTransaction } from '../support/memory-outbox-store.js';
import { REDIS_URL, newKeyPrefix, silentLogger } from '../support/shared-redis.js';

class OrderPayload {
  @IsInt() number!: number;
}
const Confirm = defineJob('order.confirm', { payload: OrderPayload, attempts: 4, timeout: '9s' });
const Invoice = defineJob('order.invoice', {
  payload: OrderPayload,
  dedupe: { key: ({ number }) => `order-${number}`, policy: 'until_finished' },
});

/** A second relay of the same process. */
const ANOTHER = Symbol('ANOTHER');
const MINUTE = 60_000;

describe('the outbox', () => {
  let module: TestingModule;
  let outbox: Outbox<MemoryTransaction>;
  let relay: OutboxRelay<MemoryTransaction>;
  let store: MemoryOutboxStore;
  let status: StatusService;

  async function open(redisUrl = REDIS_URL): Promise<TestingModule> {
    const jobs = { definitions: [Confirm, Invoice], redisUrl, keyPrefix: newKeyPrefix(), logger: silentLogger };
    module = await Test.createTestingModule({
      imports: [JobsModule.forProducer(jobs), OutboxModule.forProducer({ store: MemoryOutboxStore })],
      providers: [...OUTBOX_METRICS_PROVIDERS, OutboxRelay, { provide: ANOTHER, useClass: OutboxRelay }],
    }).compile();
    await module.init();
    outbox = module.get(Outbox);
    relay = module.get(OutboxRelay);
    store = module.get(OutboxStore);
    status = module.get(StatusService);
    return module;
  }

  beforeEach(async () => {
    await open();
  });

  afterEach(async () => {
    await module.close();
  });

  /** Promises a job in a transaction of its own. */
  async function promise(options?: OutboxOptions, number = 1, definition = Confirm): Promise<string> {
    const { jobId } = await store.inTransaction((tx) => outbox.enqueue(tx, definition, { number }, options));
    return jobId;
  }

  async function read(jobId: string): Promise<Job> {
    const job = await status.get(jobId);
    if (job === undefined) throw new Error(`There is no job ${jobId}.`);
    return job;
  }

  it('makes of a row the job that a submit would have made', async () => {
    const options = {
      priority: 7,
      maxAttempts: 2,
      userId: 'u-1',
      tags: ['a', 'b'],
      metadata: { shop: 'Ömer' },
      requestId: 'req-1',
      traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    };
    const jobId = await promise(options);
    expect(await status.get(jobId)).toBeUndefined();
    expect(await relay.tick()).toBe(store.pollMs);
    const submitted = await module.get(QueueService).enqueue(Confirm, { number: 1 }, options);
    const { jobId: _id, createdAt: _at, runAt: _runAt, waitingOn: _waiting, ...job } = await read(jobId);
    expect(await read(submitted.jobId)).toMatchObject(job);
    expect(job).toMatchObject({ status: 'queued', payload: { number: 1 }, maxAttempts: 2, timeoutMs: 9_000 });
    expect(store.waiting).toEqual([]);
  });

  it('writes nothing for a payload or options that a submit would refuse', async () => {
    await expect(promise({}, 1.5)).rejects.toThrow(InvalidPayloadError);
    await expect(promise({ priority: 99 })).rejects.toThrow(InvalidOptionsError);
    await expect(promise({ runAt: new Date(Date.now() + 400 * 86_400_000) })).rejects.toThrow('within a year');
    await expect(promise({ delayMs: MINUTE, expiresInMs: MINUTE })).rejects.toThrow('over before the job is to run');
    expect(store.waiting).toEqual([]);
  });

  it('counts delay and deadline from the submit, however late the row is handed on', async () => {
    const early = await promise({ delayMs: 10 * MINUTE, expiresInMs: 20 * MINUTE });
    const late = await promise({ delayMs: MINUTE, expiresInMs: 2 * MINUTE });
    const fixed = await promise({ runAt: new Date(Date.now() + 30 * MINUTE) });
    store.nowMs += 5 * MINUTE;
    await relay.tick();
    const minutesTo = (time: Date | null, { createdAt }: Job): number =>
      Math.round(((time?.getTime() ?? NaN) - createdAt.getTime()) / MINUTE);
    const job = await read(early);
    expect(minutesTo(job.runAt, job)).toBe(5);
    expect(minutesTo(job.expiresAt, job)).toBe(15);
    const overdue = await read(late);
    expect(minutesTo(overdue.expiresAt, overdue)).toBe(0);
    const dated = await read(fixed);
    expect(minutesTo(dated.runAt, dated)).toBe(30);
  });

  it('makes one job of a row that is handed on again, also when the job is gone by then', async () => {
    const jobId = await promise();
    const [row] = await store.take(1, 0);
    if (row === undefined) throw new Error('There is no row.');
    await relay.tick();
    store.put(row);
    await relay.tick();
    expect((await status.depth(Confirm.type)).counts.queued).toBe(1);
    await module.get(ControlService).cancel(jobId);
    await module.get(ControlService).remove(jobId);
    store.put(row);
    await relay.tick();
    expect(await status.get(jobId)).toBeUndefined();
    expect(store.waiting).toEqual([]);
  });

  it('drops a row whose dedupe key another job holds', async () => {
    const first = await promise({}, 5, Invoice);
    const second = await promise({}, 5, Invoice);
    await relay.tick();
    expect((await read(first)).status).toBe('queued');
    expect(await status.get(second)).toBeUndefined();
    expect(store.waiting).toEqual([]);
  });

  it('hands on more than one batch, and several relays no row twice', async () => {
    const ids = new Set<string>();
    for (let number = 0; number < 200; number += 1) ids.add(await promise({}, number));
    const another = module.get<OutboxRelay<MemoryTransaction>>(ANOTHER);
    const rests = await Promise.all([relay, another].map((each) => each.tick()));
    expect(rests).toEqual([0, 0]);
    while ((await relay.tick()) === 0);
    expect((await status.depth(Confirm.type)).counts.queued).toBe(ids.size);
    expect(store.waiting).toEqual([]);
  });

  it('keeps a row that it cannot read, and hands on those behind it', async () => {
    const unread = `${Confirm.type}_01J8PP1PKH282P1K2YVH454RJD`;
    store.put({ jobId: unread, type: Confirm.type, entry: '{"form":99}' });
    store.put({ jobId: 'nonsense', type: Confirm.type, entry: 'nonsense' });
    const jobId = await promise();
    await relay.tick();
    expect((await read(jobId)).status).toBe('queued');
    expect(store.waiting).toEqual([unread, 'nonsense']);
    expect(await store.take(9, 0)).toEqual([]);
    store.nowMs += 30_000;
    expect(await store.take(9, 0)).toHaveLength(2);
  });

  it('says how many rows wait, and for how long', async () => {
    store.put({ jobId: 'nonsense', type: Confirm.type, entry: 'nonsense' });
    store.nowMs += 90_000;
    await relay.tick();
    expect(await register.getSingleMetricAsString('antrean_outbox_rows')).toMatch(/^antrean_outbox_rows 1$/m);
    expect(await register.getSingleMetricAsString('antrean_outbox_lag_seconds')).toMatch(/^antrean_outbox_lag_seconds 90$/m);
  });

  it('keeps its rows while Redis is away', async () => {
    await module.close();
    await open(`redis://127.0.0.1:${await freePort()}`);
    const jobId = await promise();
    await expect(relay.tick()).rejects.toThrow(QueueUnavailableError);
    expect(store.waiting).toEqual([jobId]);
    expect(await store.take(1, 0)).toEqual([]);
    store.nowMs += 500;
    expect(await store.take(1, 0)).toHaveLength(1);
  });
});
