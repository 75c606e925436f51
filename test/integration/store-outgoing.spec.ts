import { decodeOutgoing, dropOutgoing, readOutgoing, type Outgoing } from '../../libs/jobs/src/store/outgoing.js';
import { storedWebhook } from '../../libs/jobs/src/store/record.js';
import type { Settlement } from '../../libs/jobs/src/store/settle.js';
import type { WebhookEvent } from '@antrean/jobs';
import { Ear } from '../support/ear.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue, JobPlan, StoredWorker } from '../support/stored-queue.js';

const HOUR = 3_600_000;
const ERROR_JSON = '{"name":"Error","code":"error","message":"x"}';
const HOOK = { url: 'https://example.com/hook', secretName: 'default' };
const WEBHOOK: JobPlan = { facts: { webhook: storedWebhook(HOOK) } };

describe('the end of a job with a webhook', () => {
  let queue: StoredQueue;
  let worker: StoredWorker;

  withFreshQueue((fresh) => {
    queue = fresh;
    worker = queue.newWorker();
  });

  const events = async (): Promise<readonly Outgoing[]> => (await readOutgoing(queue.link, queue.type, 100)).map(decodeOutgoing);
  const told = async (): Promise<readonly string[]> => (await events()).map(({ ulid, record }) => `${ulid} ${record.status}`);
  const addOne = async (plan: JobPlan = {}): Promise<string> => (await queue.add([{ ...WEBHOOK, ...plan }]))[0] ?? '';
  const start = async (plan: JobPlan = {}) => {
    const ulid = await addOne(plan);
    const [job] = (await worker.exchange({ want: 1 })).claimed;
    if (job?.ulid !== ulid) throw new Error('The job was not claimed.');
    return { ...job, settle: (settlement: Settlement) => settle(job, settlement) };
  };
  const settle = (job: { readonly ulid: string; readonly token: Buffer }, settlement: Settlement, keep = keeps) =>
    worker.exchange({ keepFinished: keep, keepFailed: keep, settles: [{ ...job, settlement }] });
  let keeps = true;

  describe.each([true, false])('that is kept: %s', (keep) => {
    beforeEach(() => {
      keeps = keep;
    });

    const ways: readonly [way: string, status: string, end: () => Promise<string>][] = [
      ['a success', 'succeeded', async () => ended(await start(), { event: 'succeed', json: '{"ok":true}' })],
      [
        'the last of its attempts',
        'failed',
        async () => ended(await start({ maxAttempts: 1 }), { event: 'retry', outcome: 'failed', delayMs: 0, json: ERROR_JSON }),
      ],
      ['a burial', 'failed', async () => ended(await start(), { event: 'bury', outcome: 'failed', json: ERROR_JSON })],
      [
        'the end of a run that was asked to stop',
        'cancelled',
        async () => {
          const job = await start();
          await queue.cancel([job.ulid]);
          return ended(job, { event: 'bury', outcome: 'failed', json: ERROR_JSON });
        },
      ],
      [
        'a cancel while it queued',
        'cancelled',
        async () => {
          const ulid = await addOne();
          await queue.cancel([ulid]);
          return ulid;
        },
      ],
      [
        'a cancel before its time',
        'cancelled',
        async () => {
          const ulid = await addOne({ when: { delayMs: HOUR } });
          await queue.cancel([ulid, ulid]);
          return ulid;
        },
      ],
      [
        'its deadline, found by the promoter',
        'expired',
        async () => {
          const ulid = await addOne({ expiresInMs: 1_000 });
          await queue.moveClock(2_000);
          await queue.promote(10, keep);
          return ulid;
        },
      ],
      [
        'its deadline, found by a claim',
        'expired',
        async () => {
          const ulid = await addOne({ expiresInMs: 1_000 });
          await queue.moveClock(2_000);
          expect((await worker.exchange({ want: 1, keepFinished: keep })).hasOutgoing).toBe(true);
          return ulid;
        },
      ],
      [
        'the crash that buries it',
        'failed',
        async () => {
          const { ulid } = await start();
          await queue.moveClock(31_000);
          await queue.reap({ maxCrashes: 1, keepFailed: keep });
          return ulid;
        },
      ],
      [
        'a crash after it was asked to stop',
        'cancelled',
        async () => {
          const { ulid } = await start();
          await queue.cancel([ulid]);
          await queue.moveClock(31_000);
          await queue.reap({ keepFinished: keep });
          return ulid;
        },
      ],
      [
        'a blocked event loop',
        'failed',
        async () => {
          const { ulid } = await start({ timeoutMs: 1_000 });
          await queue.moveClock(7_000);
          await queue.crashOverdue(worker, { maxCrashes: 1, keepFailed: keep });
          return ulid;
        },
      ],
    ];

    const ended = async (
      job: { readonly ulid: string; readonly settle: (settlement: Settlement) => Promise<{ readonly hasOutgoing: boolean }> },
      settlement: Settlement,
    ): Promise<string> => {
      expect((await job.settle(settlement)).hasOutgoing).toBe(true);
      return job.ulid;
    };

    it.each(ways)('is told once after %s', async (_way, status, end) => {
      const ulid = await end();
      expect(await told()).toEqual([`${ulid} ${status}`]);
    });
  });

  it('tells result, progress, runs and the time when it was asked to stop, as they were then', async () => {
    const job = await start({ maxAttempts: 3 });
    await queue.note([{ ulid: job.ulid, token: job.token, kind: 'progress', json: '{"percent":1}' }]);
    await settle(job, { event: 'retry', outcome: 'failed', delayMs: 0, json: ERROR_JSON }, false);
    expect(await told()).toEqual([]);
    await queue.promote();
    const [again] = (await worker.exchange({ want: 1 })).claimed;
    await queue.cancel([job.ulid]);
    await settle({ ulid: job.ulid, token: again?.token ?? job.token }, { event: 'succeed', json: '"€ {}"' }, false);
    expect(await queue.find(job.ulid)).toBeUndefined();
    const [event] = await events();
    expect(event?.record).toMatchObject({ status: 'succeeded', attempt: 2, runs: 2, payloadJson: 'null' });
    expect(event?.record.facts).toEqual(WEBHOOK.facts);
    expect([...(event?.extra.keys() ?? [])].sort()).toEqual(['cancel', 'progress', 'result', 'run:1']);
    expect(event?.extra.get('result')).toBe('"€ {}"');
    expect(event?.extra.get('progress')).toMatch(/ {"percent":1}$/);
    expect(event?.extra.get('run:1')).toContain(ERROR_JSON);
  });

  it('tells the latest ten runs only, so that it stays small', async () => {
    const ulid = await addOne({ maxAttempts: 12 });
    for (let run = 1; run <= 12; run += 1) {
      await queue.promote();
      const [job] = (await worker.exchange({ want: 1 })).claimed;
      if (job === undefined) throw new Error('Nothing was claimed.');
      await settle(job, { event: 'retry', outcome: 'failed', delayMs: 0, json: ERROR_JSON }, true);
    }
    const [event] = await events();
    expect(event?.ulid).toBe(ulid);
    expect([...(event?.extra.keys() ?? [])]).toEqual(Array.from({ length: 10 }, (_, index) => `run:${index + 3}`));
  });

  it('is told when it is one that was asked for, and no other', async () => {
    const asking = (events: readonly WebhookEvent[], plan: JobPlan = {}): JobPlan => ({
      ...plan,
      facts: { ...plan.facts, webhook: storedWebhook({ ...HOOK, events }) },
    });
    const ends = { when: { delayMs: HOUR } };
    const [loud, quiet] = [
      await addOne(asking(['job.failed', 'job.cancelled'], ends)),
      await addOne(asking(['job.failed', 'job.expired'], ends)),
    ];
    // Nothing that users write is taken for what a webhook asks for.
    const text = '"webhook":{"ends":"C"';
    const [quoting] = await queue.add([
      asking(['job.failed'], {
        ...ends,
        facts: { userId: text, tags: [text, '"webhook'], metadata: { [text]: text, webhook: '{"ends":"C"}' } },
        dedupe: { policy: 'until_finished', key: text },
        payloadJson: `{${text}}}`,
      }),
    ]);
    for (const ulid of [loud, quiet, quoting ?? '']) await queue.cancel([ulid]);
    expect(await told()).toEqual([`${loud} cancelled`]);
    expect((await queue.depth()).outgoing).toBe(1);
  });

  it('is promised to no more jobs while as many wait to be told as may be, and what was answered before stays so', async () => {
    const once = { key: 'one', hash: '0'.repeat(32), ttlMs: HOUR };
    const ulids = await queue.add([{ ...WEBHOOK, once }, WEBHOOK]);
    for (const ulid of ulids) await queue.cancel([ulid]);
    const submit = async (plan: JobPlan, most = 2): Promise<string | undefined> =>
      (await queue.enqueue([queue.newJob(plan)], most))[0]?.kind;
    expect(await submit(WEBHOOK)).toBe('events_full');
    expect(await submit(WEBHOOK, 3)).toBe('accepted');
    expect(await submit({})).toBe('accepted');
    expect(await submit({ ...WEBHOOK, once })).toBe('once');
    expect(await submit({ ...WEBHOOK, ulid: ulids[1] ?? '' })).toBe('known');
    const dedupe = { policy: 'until_finished', key: 'held' } as const;
    await queue.add([{ dedupe }]);
    const again = { ...WEBHOOK, dedupe, once: { ...once, key: 'two' } };
    expect(await submit(again)).toBe('duplicate');
    expect(await submit(again)).toBe('once');
    const free = { ...WEBHOOK, dedupe: { ...dedupe, key: 'free' }, once: { ...once, key: 'three' } };
    expect([await submit(free), await submit(free)]).toEqual(['events_full', 'events_full']);
    await dropOutgoing(queue.link, queue.type, await readOutgoing(queue.link, queue.type, 1));
    expect(await submit(free)).toBe('accepted');
  });

  it('is told again when the job was replayed and ends again, and the two are told apart', async () => {
    const job = await start();
    await settle(job, { event: 'succeed', json: '' }, true);
    await queue.replay(job.ulid);
    await queue.cancel([job.ulid]);
    expect(await told()).toEqual([`${job.ulid} succeeded`, `${job.ulid} cancelled`]);
    const [first] = await readOutgoing(queue.link, queue.type, 1);
    expect(await dropOutgoing(queue.link, queue.type, first === undefined ? [] : [first])).toBe(1);
    expect(await told()).toEqual([`${job.ulid} cancelled`]);
  });

  it('is not told when it has none, and a call that is answered again tells nothing twice', async () => {
    const [plain] = await queue.add([{}]);
    const claimed = (await worker.exchange({ want: 1 })).claimed;
    const settles = claimed.map(({ ulid, token }) => ({ ulid, token, settlement: { event: 'succeed', json: '1' } as const }));
    expect(claimed.map(({ ulid }) => ulid)).toEqual([plain]);
    expect((await worker.exchange({ settles })).hasOutgoing).toBe(false);
    const job = await start();
    const call = { settles: [{ ...job, settlement: { event: 'succeed', json: '1' } as const }] };
    await worker.exchange(call);
    // Whoever asks again does not know of the event yet.
    expect((await worker.exchange({ ...call, call: worker.lastCall() })).hasOutgoing).toBe(true);
    expect(await told()).toEqual([`${job.ulid} succeeded`]);
    await dropOutgoing(queue.link, queue.type, await readOutgoing(queue.link, queue.type, 1));
    expect((await worker.exchange({ ...call, call: worker.lastCall() })).hasOutgoing).toBe(false);
  });

  describe('by a cancel', () => {
    let ear: Ear;

    beforeEach(async () => {
      ear = await Ear.of(queue);
    });

    afterEach(() => {
      ear.close();
    });

    const waits = { when: { delayMs: HOUR } };

    it('is told to one worker, and to none when nobody is to hear of it', async () => {
      const idle = [queue.newWorker(), queue.newWorker()];
      const [hooked, plain = ''] = [await addOne(waits), ...(await queue.add([waits]))];
      for (const one of idle) {
        await one.exchange({ want: 1 });
        await ear.listenFor(one);
      }
      await queue.cancel([plain]);
      expect(await ear.drain()).toEqual([]);
      await queue.cancel([hooked]);
      expect(await ear.drain()).toHaveLength(1);
      // It is no wake-up: both wait as before.
      expect(await queue.redis.zcard(queue.keys.idle)).toBe(2);
    });

    it('is told to one that is full when no other hears', async () => {
      await queue.add([{}]);
      await worker.exchange({ want: 1 });
      await ear.listenFor(worker);
      await queue.newWorker().exchange({ want: 1 });
      const ulid = await addOne(waits);
      await ear.drain();
      await queue.cancel([ulid]);
      expect(await ear.drain()).toEqual([queue.keys.wake(worker.number)]);
    });
  });

  describe('when it is handed on', () => {
    const cancelled = async (count: number): Promise<readonly string[]> => {
      const ulids = await queue.add(Array.from({ length: count }, () => WEBHOOK));
      for (const ulid of ulids) await queue.cancel([ulid]);
      return ulids;
    };
    const read = (count: number) => readOutgoing(queue.link, queue.type, count);
    const drop = (batch: readonly Buffer[]) => dropOutgoing(queue.link, queue.type, batch);
    const left = async (): Promise<readonly string[]> => (await events()).map(({ ulid }) => ulid);

    it('stays until it is dropped', async () => {
      const [first, second, third] = await cancelled(3);
      expect((await read(2)).map(decodeOutgoing).map(({ ulid }) => ulid)).toEqual([first, second]);
      expect(await left()).toEqual([first, second, third]);
      expect(await drop(await read(2))).toBe(2);
      expect(await left()).toEqual([third]);
      expect(await drop(await read(2))).toBe(1);
      expect(await queue.redis.exists(queue.keys.outgoing)).toBe(0);
    });

    it('by two at once, takes nothing with it that only one of them read, or none', async () => {
      const [, , third, fourth] = await cancelled(4);
      const [mine, others] = [await read(2), await read(3)];
      expect(await drop(mine)).toBe(2);
      expect(await drop(mine)).toBe(0);
      expect(await left()).toEqual([third, fourth]);
      expect(await drop(others)).toBe(1);
      expect(await left()).toEqual([fourth]);
    });
  });
});
