import { setTimeout as pause } from 'node:timers/promises';
import {
  JobHandler,
  PermanentError,
  Snooze,
  defineJob,
  fixed,
  isFinal,
  unchecked,
  type Handles,
  type Job,
  type JobContext,
} from '@antrean/jobs';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';

const Parent = defineJob('parent.run', { payload: unchecked<{ plan: string }>(), attempts: 3, retry: fixed('1ms') });
const Child = defineJob('child.run', { payload: unchecked<{ number: number }>() });

type Work = (context: JobContext<typeof Parent>) => unknown;

/** Does what the test says. */
@JobHandler(Parent)
class ParentHandler implements Handles<typeof Parent> {
  readonly plans = new Map<string, Work>();

  handle(context: JobContext<typeof Parent>): unknown {
    return this.plans.get(context.payload.plan)?.(context);
  }
}

@JobHandler(Child)
class ChildHandler implements Handles<typeof Child> {
  readonly seen: JobContext<typeof Child>[] = [];

  handle(context: JobContext<typeof Child>): number {
    this.seen.push(context);
    return context.payload.number;
  }
}

const ended = (job: Job): boolean => isFinal(job.status);

describe('the context of a handler', () => {
  let jobs: JobsApp;
  let plans = 0;

  beforeAll(async () => {
    jobs = await startJobsApp([Parent, Child], [ParentHandler, ChildHandler]);
  });

  afterAll(async () => {
    await jobs.close();
  });

  async function submit(work: Work): Promise<string> {
    plans += 1;
    const plan = `plan ${plans}`;
    jobs.app.get(ParentHandler).plans.set(plan, work);
    return (await jobs.queue.enqueue(Parent, { plan })).jobId;
  }

  const run = async (work: Work): Promise<Job> => jobs.until(await submit(work), ended);

  it('may be taken apart', async () => {
    const job = await run(async ({ progress, step, checkpoint, log, enqueue, signal }) => {
      progress(10);
      log.info('begun');
      await checkpoint.save(await step('one', () => 1));
      await enqueue(Child, { number: 7 });
      return signal.aborted;
    });
    expect(job).toMatchObject({ status: 'succeeded', result: false, progress: { percent: 10 } });
  });

  it('says which run of the job it is: each has a higher number, also those that use no attempt or follow a replay', async () => {
    const seen: [number, number][] = [];
    const jobId = await submit(({ run, attempt }) => {
      seen.push([run, attempt]);
      if (seen.length === 1) throw new Snooze('1ms');
      if (seen.length === 2) throw new Error('once');
    });
    await jobs.until(jobId, ended);
    await jobs.control.replay(jobId);
    await jobs.until(jobId, (job) => ended(job) && seen.length === 4);
    expect(seen).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
      [4, 1],
    ]);
  });

  describe('progress', () => {
    it('is shown while the job runs, the latest of what was told', async () => {
      let finish: () => void = () => undefined;
      const jobId = await submit(async ({ progress }) => {
        for (let percent = 0; percent <= 40; percent += 1) progress(percent, `${percent} of 100 rows`, { rows: percent });
        await new Promise<void>((resolve) => (finish = resolve));
      });
      const job = await jobs.until(jobId, ({ progress }) => progress !== null);
      expect(job).toMatchObject({
        status: 'processing',
        progress: { percent: 40, message: '40 of 100 rows', data: { rows: 40 } },
      });
      expect(job.progress?.updatedAt.getTime()).toBeGreaterThanOrEqual(job.startedAt?.getTime() ?? Infinity);
      finish();
      expect((await jobs.until(jobId, ended)).progress).toMatchObject({ percent: 40 });
    });

    it.each([
      ['a percentage above 100', 101, undefined],
      ['no number', Number.NaN, undefined],
      ['data that JSON cannot hold', 1, { rows: 1n }],
      ['data of more than 4 KiB', 1, 'x'.repeat(5_000)],
    ])('refuses %s', async (_what, percent, data) => {
      const job = await run(({ progress }) => {
        try {
          progress(percent, undefined, data);
        } catch (error) {
          throw new PermanentError('refused', { code: (error as { code: string }).code });
        }
      });
      expect(job).toMatchObject({ status: 'failed', error: { code: 'not_storable' }, progress: null });
    });
  });

  it.each<[string, (context: JobContext<typeof Parent>, given: unknown) => unknown]>([
    [
      'a line of the log',
      ({ log }, given) => {
        log.info(given as string);
      },
    ],
    [
      'progress',
      ({ progress }, given) => {
        progress(5, given as string);
      },
    ],
  ])('refuses words that are none, and says what was given instead: %s', async (_what, tell) => {
    const refusals: unknown[] = [];
    const job = await run((context) => {
      for (const given of [null, 7, ['secret'], { secret: 1 }]) {
        try {
          tell(context, given);
        } catch (error) {
          refusals.push(error);
        }
      }
    });
    expect(job.status).toBe('succeeded');
    expect(refusals).toMatchObject(
      ['null', 'a number', 'an array', 'an object'].map((kind) => ({
        code: 'not_storable',
        message: `This cannot be kept: /message: must be a string, not ${kind}`,
      })),
    );
  });

  describe('a checkpoint', () => {
    it('is there for the next attempt, and undefined at first', async () => {
      const seen: unknown[] = [];
      const job = await run(async ({ checkpoint, attempt }) => {
        seen.push(checkpoint.value);
        await checkpoint.save({ row: attempt * 100 });
        seen.push(checkpoint.value);
        if (attempt < 3) throw new Error('not yet');
      });
      expect(job.status).toBe('succeeded');
      expect(seen).toEqual([undefined, { row: 100 }, { row: 100 }, { row: 200 }, { row: 200 }, { row: 300 }]);
    });

    it('that is too large is refused, and the one before stays', async () => {
      const job = await run(async ({ checkpoint }) => {
        await checkpoint.save('small');
        const error = await checkpoint.save('x'.repeat(70_000)).catch((thrown: unknown) => thrown);
        return [(error as { code: string }).code, checkpoint.value];
      });
      expect(job.result).toEqual(['not_storable', 'small']);
    });

    it('that nobody waits for harms nothing when it cannot be kept', async () => {
      const job = await run(({ checkpoint }) => {
        void checkpoint.save(1);
        return 'done';
      });
      expect(job).toMatchObject({ status: 'succeeded', result: 'done' });
    });
  });

  describe('a step', () => {
    it('that is done is not done again, and gives the same result to a later attempt', async () => {
      const done: string[] = [];
      const job = await run(async ({ step, attempt }) => {
        const first = await step('charge', () => done.push(`charge ${attempt}`) && { receipt: attempt });
        if (attempt === 1) throw new Error('after the first step');
        const nothing = (): unknown => {
          done.push(`nothing ${attempt}`);
          return undefined;
        };
        const second = await step('nothing', nothing);
        if (attempt === 2) throw new Error('after the second step');
        return [first, second === undefined];
      });
      expect(job).toMatchObject({ status: 'succeeded', attempt: 3, result: [{ receipt: 1 }, true] });
      expect(done).toEqual(['charge 1', 'nothing 2']);
    });

    it('that fails is done again by the next attempt', async () => {
      let calls = 0;
      const job = await run(({ step }) =>
        step('flaky', () => {
          calls += 1;
          if (calls === 1) throw new Error('flaky');
          return calls;
        }),
      );
      expect(job).toMatchObject({ status: 'succeeded', attempt: 2, result: 2 });
    });

    it('that is asked for twice at once is done once', async () => {
      let calls = 0;
      const job = await run(async ({ step }) =>
        Promise.all([step('same', () => (calls += 1)), step('same', () => (calls += 1))]),
      );
      expect(job.result).toEqual([1, 1]);
    });

    it.each<[string, (step: JobContext['step']) => unknown]>([
      ['at once', (step) => step('outer', () => step('outer', () => 1))],
      ['later', (step) => step('outer', async () => (await pause(1), step('outer', () => 1)))],
      ['by way of another', (step) => step('outer', () => step('inner', () => step('outer', () => 1)))],
    ])('whose own work asks for it is refused, since it would never end: %s', async (_when, work) => {
      const refused: unknown[] = [];
      const job = await run(async ({ step }) => {
        await Promise.resolve(work(step)).catch((error: unknown) => refused.push(error));
        return step('outer', () => 'done after all');
      });
      expect(refused).toMatchObject([
        { code: 'not_storable', message: 'This cannot be kept: /name: is that of the step whose own work asks for it' },
      ]);
      expect(job).toMatchObject({ status: 'succeeded', result: 'done after all' });
    });

    it('is none of the others that stand in the same work', async () => {
      const job = await run(({ step }) =>
        step('outer', async () => Promise.all([step('a', () => step('b', () => 1)), step('b', () => 2)])),
      );
      expect(job.result).toEqual([1, 1]);
    });

    it('beyond the hundredth, or with a name that is none, is refused', async () => {
      const job = await run(async ({ step }) => {
        const codeOf = (work: Promise<unknown>) =>
          work.then(
            () => 'done',
            (error: unknown) => (error as { code: string }).code,
          );
        for (let number = 0; number < 100; number += 1) await step(`step ${number}`, () => number);
        return [await codeOf(step('one more', () => 1)), await codeOf(step('', () => 1)), await step('step 99', () => 'again')];
      });
      expect(job.result).toEqual(['not_storable', 'not_storable', 99]);
    });
  });

  describe('the log', () => {
    it('is kept with the job, with level, attempt, fields and the time', async () => {
      const job = await run(({ log, attempt }) => {
        log.info('begun', { rows: 3 });
        log.error('no luck', { err: new TypeError('broken') });
        if (attempt === 1) throw new Error('again');
      });
      const lines = (await jobs.status.logs(job.jobId)) ?? [];
      expect(lines.map(({ level, message, attempt }) => [level, message, attempt])).toEqual([
        ['info', 'begun', 1],
        ['error', 'no luck', 1],
        ['info', 'begun', 2],
        ['error', 'no luck', 2],
      ]);
      expect(lines[0]).toMatchObject({ fields: { rows: 3 } });
      expect(lines[1]).toMatchObject({ fields: { err: { name: 'TypeError', message: 'broken' } } });
      for (const { at } of lines) expect(at.getTime()).toBeGreaterThanOrEqual(job.createdAt.getTime());
    });

    it('keeps the latest 200 lines, and takes fields that are no JSON', async () => {
      const job = await run(({ log }) => {
        for (let line = 0; line < 250; line += 1) log.info(`line ${line}`);
        const circular: Record<string, unknown> = {};
        circular['self'] = circular;
        log.warn('circular', circular);
        log.warn('long', { text: 'x'.repeat(10_000) });
      });
      const lines = (await jobs.status.logs(job.jobId)) ?? [];
      expect(lines).toHaveLength(200);
      expect(lines[0]?.message).toBe('line 52');
      expect(lines.slice(-2).map(({ fields }) => Object.keys(fields))).toEqual([['left_out'], ['left_out']]);
    });
  });

  describe('a child job', () => {
    it('continues the trace, and a later attempt gets the same one', async () => {
      const children: string[] = [];
      const job = await run(async ({ enqueue, attempt }) => {
        // Another payload each time: what was submitted first stands.
        for (const number of [1, 2]) children.push((await enqueue(Child, { number: number * 10 ** attempt })).jobId);
        if (attempt < 3) throw new Error('again');
      });
      expect(new Set(children).size).toBe(2);
      for (const jobId of new Set(children)) {
        expect(await jobs.until(jobId, ended)).toMatchObject({ status: 'succeeded', traceId: job.traceId });
      }
      const seen = jobs.app.get(ChildHandler).seen.filter(({ traceId }) => traceId === job.traceId);
      expect(seen.map(({ payload }) => payload.number).sort()).toEqual([10, 20]);
    });

    it('under a key of its own is another than the one whose number that key is', async () => {
      const job = await run(async ({ enqueue }) => {
        const counted = await enqueue(Child, { number: 1 });
        const keyed = await enqueue(Child, { number: 2 }, { onceKey: '1' });
        return [counted.jobId, keyed.jobId];
      });
      expect(new Set(job.result as string[]).size).toBe(2);
    });

    it('under the longest key is submitted, once a key', async () => {
      const [one, other] = ['x'.repeat(255), `${'x'.repeat(254)}y`];
      const job = await run(async ({ enqueue }) => {
        const children: string[] = [];
        for (const onceKey of [one, other, one]) children.push((await enqueue(Child, { number: 1 }, { onceKey })).jobId);
        return children;
      });
      const [first, second, third] = job.result as string[];
      expect(first).toBe(third);
      expect(second).not.toBe(first);
    });

    it('is submitted anew when its parent is replayed', async () => {
      const children: string[] = [];
      const job = await run(async ({ enqueue }) => {
        children.push((await enqueue(Child, { number: 1 })).jobId);
      });
      await jobs.control.replay(job.jobId);
      await jobs.until(job.jobId, ({ replays, status }) => replays === 1 && status === 'succeeded');
      expect(new Set(children).size).toBe(2);
    });
  });

  it('of a run that lost its job writes nothing any more and says so', async () => {
    const refused: unknown[] = [];
    let goOn: () => void = () => undefined;
    let saved = false;
    const jobId = await submit(async ({ checkpoint, step, progress, log, signal }) => {
      await checkpoint.save('mine');
      saved = true;
      await new Promise<void>((resolve) => (goOn = resolve));
      progress(99);
      log.info('late');
      for (const write of [checkpoint.save('late'), step('late', () => 1)]) {
        refused.push(await write.catch((error: unknown) => (error as { code: string }).code));
      }
      refused.push((signal.reason as { code: string }).code);
    });
    await eventually(() => {
      expect(saved).toBe(true);
    });
    // As if it had been taken away: another token stands in the record.
    await jobs.link.redis.setrange(jobs.link.keys(Parent.type).job(jobId.split('_').at(-1) ?? ''), 43, '\0\0\0\0\0\0\0\u0001');
    goOn();
    await eventually(async () => {
      expect(refused).toEqual(['lease_lost', 'lease_lost', 'lease_lost']);
      expect(await jobs.status.logs(jobId)).toEqual([]);
    });
    expect(await jobs.status.get(jobId)).toMatchObject({ status: 'processing', progress: null });
  });
});
