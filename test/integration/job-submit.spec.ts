import { IsOptional, IsString } from 'class-validator';
import { Test } from '@nestjs/testing';
import {
  InvalidOptionsError,
  InvalidPayloadError,
  JobsModule,
  PayloadTooLargeError,
  QueueService,
  QueueUnavailableError,
  defineJob,
  newJobId,
  type EnqueueOptions,
} from '@antrean/jobs';
import { freePort } from '../support/free-port.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { newKeyPrefix, silentLogger } from '../support/shared-redis.js';

class Payload {
  @IsString()
  name!: string;

  @IsOptional()
  @IsString()
  key?: string;
}

const Submitted = defineJob('submitted.run', { payload: Payload, dedupe: { key: ({ key }) => key } });

describe('a submit', () => {
  let jobs: JobsApp;

  beforeAll(async () => {
    jobs = await startJobsApp([Submitted], []);
  });

  afterAll(async () => {
    await jobs.close();
  });

  const submit = (payload: Payload, options: EnqueueOptions = {}) => jobs.queue.enqueue(Submitted, payload, options);
  const stored = async () => (await jobs.status.depth(Submitted.type)).counts.queued;

  it.each<[string, Payload, EnqueueOptions, new (...args: never[]) => Error]>([
    ['a payload that does not fit', { name: 1 as unknown as string }, {}, InvalidPayloadError],
    ['a payload with an unknown field', { name: 'a', more: 1 } as Payload, {}, InvalidPayloadError],
    ['a payload over 256 KiB', { name: 'x'.repeat(262_144) }, {}, PayloadTooLargeError],
    ['an option out of bounds', { name: 'a' }, { priority: 10 }, InvalidOptionsError],
    ['a time more than a year away', { name: 'a' }, { runAt: new Date(Date.now() + 366 * 86_400_000) }, InvalidOptionsError],
    ['a dedupe key of the type that is empty', { name: 'a', key: '' }, {}, InvalidOptionsError],
    ['a dedupe key of the type that is too long', { name: 'a', key: 'k'.repeat(70_000) }, {}, InvalidOptionsError],
    ['metadata that no record holds', { name: 'a' }, { metadata: hugeMetadata() }, InvalidOptionsError],
  ])('with %s is refused, and nothing is written', async (_what, payload, options, error) => {
    const before = await stored();
    await expect(submit(payload, options)).rejects.toThrow(error);
    expect(await stored()).toBe(before);
  });

  it('that is refused does no harm to those that are made beside it', async () => {
    const answers = await Promise.allSettled([
      submit({ name: 'first' }),
      submit({ name: 'bad', key: 'k'.repeat(70_000) }),
      submit({ name: 'bad' }, { metadata: hugeMetadata() }),
      submit({ name: 'last' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  });

  it('keeps labels of every kind to the letter', async () => {
    const options: EnqueueOptions = {
      userId: 'u 😀',
      tags: ['a b', '{"}', '\u0001'],
      metadata: { 'k\n/~': '\u0001€', empty: '' },
      requestId: 'r-1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      tracestate: 'congo=t61rcWkgMzE',
    };
    const { jobId, traceId } = await submit({ name: 'labelled' }, options);
    expect(traceId).toBe('0af7651916cd43dd8448eb211c80319c');
    const { userId, tags, metadata, requestId } = options;
    expect(await jobs.status.get(jobId)).toMatchObject({ userId, tags, metadata, requestId, traceId });
  });

  it('gives a job the id that was made for it', async () => {
    const jobId = newJobId(Submitted);
    expect((await submit({ name: 'named' }, { jobId })).jobId).toBe(jobId);
    expect(await jobs.status.get(jobId)).toMatchObject({ status: 'queued' });
    for (const other of ['nonsense', jobId.replace(Submitted.type, 'another.type')]) {
      await expect(submit({ name: 'named' }, { jobId: other })).rejects.toThrow('an id that newJobId has made for a job of type');
    }
  });

  it('goes on without a trace state that is none, or longer than one may be', async () => {
    for (const tracestate of ['no state', `a=${'x'.repeat(100_000)}`]) {
      const { jobId } = await submit({ name: 'traced' }, { tracestate });
      expect(await jobs.status.get(jobId)).toMatchObject({ status: 'queued' });
    }
  });

  describe('of many jobs at once', () => {
    it('answers each in its order, and one that is refused spoils no other', async () => {
      const results = await jobs.queue.enqueueBulk(Submitted, [
        { payload: { name: 'one' } },
        { payload: { name: 7 } as unknown as Payload },
        { payload: { name: 'two' }, options: { dedupeKey: 'bulk' } },
        { payload: { name: 'three' }, options: { dedupeKey: 'bulk' } },
        { payload: { name: 'four' }, options: { priority: 12 } },
      ]);
      expect(results).toMatchObject([
        { accepted: {} },
        { refused: { code: 'invalid_payload' } },
        { accepted: {} },
        { refused: { code: 'duplicate_job' } },
        { refused: { code: 'invalid_options' } },
      ]);
      for (const result of results) {
        if ('accepted' in result) expect((await jobs.status.get(result.accepted.jobId))?.status).toBe('queued');
      }
    });

    it.each([
      ['null', null],
      ['undefined', undefined],
      ['a string', 'top secret'],
    ])('refuses an entry that is %s, and no other', async (kind, entry) => {
      const beside = { payload: { name: 'beside nothing' } };
      const results = await jobs.queue.enqueueBulk(Submitted, [beside, entry as unknown as typeof beside, beside]);
      const message = `The payload does not fit submitted.run: payload: is missing: an entry must be an object with a payload, not ${kind}`;
      expect(results).toMatchObject([{ accepted: {} }, { refused: { code: 'invalid_payload', message } }, { accepted: {} }]);
    });

    it('refuses what is left out of a list, in its place', async () => {
      // eslint-disable-next-line no-sparse-arrays
      const results = await jobs.queue.enqueueBulk(Submitted, [, { payload: { name: 'second' } }] as { payload: Payload }[]);
      expect(results).toMatchObject([{ refused: { code: 'invalid_payload' } }, { accepted: {} }]);
    });

    it('takes more than one call carries', async () => {
      const before = (await jobs.status.depth(Submitted.type)).counts.queued;
      const results = await jobs.queue.enqueueBulk(
        Submitted,
        Array.from({ length: 1_001 }, (_, index) => ({ payload: { name: `bulk ${index}` } })),
      );
      expect(results.filter((result) => 'accepted' in result)).toHaveLength(1_001);
      expect((await jobs.status.depth(Submitted.type)).counts.queued).toBe(before + 1_001);
    });

    it('tells of the one whose dedupe key cannot be made, and accepts the others', async () => {
      const Keyed = defineJob('submit.keyed', {
        payload: Payload,
        dedupe: {
          key: ({ name }) => {
            if (name === 'bad') throw new RangeError('no key for this one');
            return name;
          },
        },
      });
      const results = await jobs.queue.enqueueBulk(
        Keyed,
        ['good', 'bad', 'better'].map((name) => ({ payload: { name } })),
      );
      expect(results).toMatchObject([{ accepted: {} }, { refused: { message: 'no key for this one' } }, { accepted: {} }]);
    });

    it('is refused as a whole, and soon, when Redis does not answer', async () => {
      const producer = await Test.createTestingModule({
        imports: [
          JobsModule.forProducer({
            definitions: [Submitted],
            redisUrl: `redis://127.0.0.1:${await freePort()}`,
            keyPrefix: newKeyPrefix(),
            logger: silentLogger,
          }),
        ],
      }).compile();
      await producer.init();
      const results = await producer.get(QueueService).enqueueBulk(
        Submitted,
        Array.from({ length: 2_001 }, () => ({ payload: { name: 'nowhere' } })),
      );
      expect(results).toHaveLength(2_001);
      const outcomes = results.map((result) => 'refused' in result && result.refused instanceof QueueUnavailableError);
      expect(outcomes).not.toContain(false);
      await producer.close();
    });

    it('of none answers none', async () => {
      expect(await jobs.queue.enqueueBulk(Submitted, [])).toEqual([]);
    });
  });

  describe('under a once key', () => {
    it('is answered as it was first, whatever became of the job', async () => {
      const first = await submit({ name: 'once' }, { onceKey: 'k1' });
      expect(first.repeated).toBe(false);
      await jobs.control.cancel(first.jobId);
      await jobs.control.remove(first.jobId);
      expect(await submit({ name: 'once' }, { onceKey: 'k1' })).toEqual({ ...first, repeated: true });
    });

    it('is refused with another payload or other options', async () => {
      const first = await submit({ name: 'once' }, { onceKey: 'k2', priority: 3 });
      for (const [name, options] of [
        ['twice', { priority: 3 }],
        ['once', { priority: 4 }],
      ] as const) {
        await expect(submit({ name }, { onceKey: 'k2', ...options })).rejects.toMatchObject({
          code: 'once_key_conflict',
          jobId: first.jobId,
        });
      }
      expect((await submit({ name: 'once' }, { onceKey: 'k2', priority: 3, requestId: 'another' })).jobId).toBe(first.jobId);
    });

    it('is one job when it is made many times at once', async () => {
      const answers = await Promise.all(Array.from({ length: 50 }, () => submit({ name: 'once' }, { onceKey: 'k3' })));
      expect(new Set(answers.map(({ jobId }) => jobId)).size).toBe(1);
      expect(answers.filter(({ repeated }) => !repeated)).toHaveLength(1);
    });
  });
});

/** Within the bounds of each entry; JSON writes a control character with six bytes. */
function hugeMetadata(): Record<string, string> {
  return Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index} ${'\u0001'.repeat(60)}`, '\u0001'.repeat(512)]));
}
