import { defineJob, unchecked } from '@antrean/jobs';
import { EngineHost } from '../fixtures/engine/engine-host.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';

jest.setTimeout(120_000);

interface BuildRun {
  readonly jobId: string;
  readonly n: number;
  readonly type: string;
}

const TYPES = ['letter.send', 'note.add'] as const;
/** Of each type, half of them by submitters of either build. */
const EARLY = numbers(0, 500);
const LATE = numbers(500, 1_000);

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, index) => from + index);
}

describe('workers and submitters of two builds, whose payloads differ', () => {
  const keyPrefix = newKeyPrefix();
  const settings = { redisUrl: REDIS_URL, keyPrefix, leaseMs: 10_000 };
  /** Submits only, as `WORKER_TYPES` can say. */
  const submitting = { ...settings, types: ['!*'] };
  let builds: readonly [EngineHost, EngineHost];
  let observer: JobsApp;

  beforeAll(async () => {
    builds = await Promise.all([EngineHost.start('./builds.mjs?1'), EngineHost.start('./builds.mjs?2')]);
    observer = await startJobsApp(
      TYPES.map((type) => defineJob(type, { payload: unchecked() })),
      [],
      { keyPrefix, types: ['!*'] },
    );
    await Promise.all(builds.map((build) => build.open('submits', submitting)));
  });

  afterAll(async () => {
    await Promise.all([...builds.map((build) => build.kill()), observer.close()]);
  });

  /** Both builds submit at the same time. */
  const submit = async (wanted: readonly number[]): Promise<readonly [readonly string[], readonly string[]]> => {
    const ids = await Promise.all(
      builds.map(async (build) => Promise.all(TYPES.map((type) => build.submitNumbers('submits', type, wanted)))),
    );
    return [ids[0]?.flat() ?? [], ids[1]?.flat() ?? []];
  };

  const untilSucceeded = async (letters: number, notes: number): Promise<void> => {
    await eventually(async () => {
      const [ofLetters, ofNotes] = await Promise.all(TYPES.map((type) => observer.status.depth(type)));
      expect([ofLetters?.counts, ofNotes?.counts]).toMatchObject([
        { succeeded: letters, failed: 0, retrying: 0, processing: 0 },
        { succeeded: notes, failed: 0, retrying: 0, processing: 0, queued: 0 },
      ]);
    }, 60_000);
  };

  const runsOf = async (build: 0 | 1): Promise<readonly BuildRun[]> => (await builds[build].runs()) as readonly BuildRun[];

  it('leave newer payloads to newer workers, and run all of 2,000 jobs once, none buried and none misread', async () => {
    const [, newer] = await submit(EARLY);
    const newLetters = newer.filter((jobId) => jobId.startsWith('letter.send'));
    await builds[0].open('works', settings);
    await untilSucceeded(250, 500);

    // The rest is there for a worker that has not come yet.
    for (const jobId of [newLetters[0] ?? '', newLetters.at(-1) ?? '']) {
      const job = await eventually(async () => {
        const found = await observer.status.get(jobId);
        expect(found?.waitingOn?.detail).toContain('version 1 at most');
        return found;
      });
      expect(job).toMatchObject({
        status: 'queued',
        attempt: 0,
        runs: [],
        payloadVersion: 2,
        waitingOn: { reason: 'no_worker' },
      });
    }
    expect((await observer.status.depth('letter.send')).counts.queued).toBe(250);

    await builds[1].open('works', settings);
    await untilSucceeded(500, 500);
    await submit(LATE);
    await untilSucceeded(1_000, 1_000);
    const [byOld, byNew] = [await runsOf(0), await runsOf(1)];
    const all = [...byOld, ...byNew];
    expect(all).toHaveLength(2_000);
    expect(new Set(all.map(({ jobId }) => jobId)).size).toBe(2_000);
    expect(byOld.filter(({ type, n }) => type === 'letter.send' && n % 2 === 1)).toEqual([]);
    expect(byOld.filter(({ type }) => type === 'note.add').length).toBeGreaterThanOrEqual(500);
  });

  it('hand over: what the older build submits is run by the newer alone', async () => {
    await builds[0].close('works');
    await submit(numbers(1_000, 1_200));
    await untilSucceeded(1_200, 1_200);
    const byNew = await runsOf(1);
    expect(byNew.filter(({ n }) => n >= 1_000)).toHaveLength(400);
  });
});
