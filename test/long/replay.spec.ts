import { ReplayDeadLetters } from '@antrean/catalog';
import { defineJob, unchecked } from '@antrean/jobs';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { succeeded, untilJob } from '../support/until-job.js';

const LETTERS = 100_000;
const BULK = 10_000;
const PER_SECOND = 5_000;

const Letter = defineJob('letter.run', { payload: unchecked<{ n: number }>() });

jest.setTimeout(10 * 60_000);

describe('100,000 dead letters', () => {
  const settings = { redisUrl: REDIS_URL, keyPrefix: newKeyPrefix(), leaseMs: 5_000 };
  let observer: JobsApp;
  /** Lives on, and notes how often each letter ran. */
  let letters: EngineHost;
  const walkers: EngineHost[] = [];

  beforeAll(async () => {
    observer = await startJobsApp([Letter, ReplayDeadLetters], [], { keyPrefix: settings.keyPrefix, types: ['!*'] });
    letters = await EngineHost.start('./letters.mjs');
    await letters.open('worker', { ...settings, types: [Letter.type] });
  });

  afterAll(async () => {
    await Promise.all([letters.kill(), ...walkers.map((walker) => walker.kill()), observer.close()]);
  });

  const startWalker = async (): Promise<EngineHost> => {
    const walker = await EngineHost.start('./letters.mjs');
    walkers.push(walker);
    await walker.open('worker', { ...settings, types: [ReplayDeadLetters.type] });
    return walker;
  };

  const untilCounts = (counts: object): Promise<void> =>
    eventually(async () => {
      expect((await observer.status.depth(Letter.type)).counts).toMatchObject(counts);
    }, 5 * 60_000);

  it('are replayed once each, though what replays them is killed half-way and again later', async () => {
    for (let from = 0; from < LETTERS; from += BULK)
      await observer.queue.enqueueBulk(
        Letter,
        Array.from({ length: BULK }, (_, index) => ({ payload: { n: from + index } })),
      );
    await untilCounts({ failed: LETTERS });

    const { jobId } = await observer.queue.enqueue(ReplayDeadLetters, { type: Letter.type, per_second: PER_SECOND });
    for (const percent of [50, 75]) {
      const walker = await startWalker();
      await untilJob(observer, jobId, ({ progress }) => (progress?.percent ?? 0) >= percent, 5 * 60_000);
      await walker.kill();
    }
    await startWalker();
    const walk = await untilJob(observer, jobId, succeeded, 5 * 60_000);
    expect(walk.runs.map(({ outcome }) => outcome)).toEqual(['crashed', 'crashed', 'succeeded']);
    await untilCounts({ succeeded: LETTERS, failed: 0, queued: 0, processing: 0, retrying: 0 });

    // Once when they failed, and once when they were replayed.
    const runs = new Map<number, number>((await letters.runs()) as Map<number, number>);
    expect(runs.size).toBe(LETTERS);
    expect([...runs].filter(([, count]) => count !== 2)).toEqual([]);
  });
});
