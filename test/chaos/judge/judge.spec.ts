import { FAULT_KINDS } from '../fault-plan.js';
import type { Accepted, Entry, Fault, RunNote } from '../ledger/entries.js';
import { judge, type Evidence, type Verdict } from './judge.js';

const NOTHING: Evidence = {
  accepted: [],
  unanswered: [],
  runs: [],
  holds: [],
  finals: [],
  faults: [],
  deliveries: [],
  refusals: [],
};

const accepted = (jobId: string, more: Partial<Entry<Accepted>> = {}): Entry<Accepted> => ({
  jobId,
  number: 1,
  fate: 'succeeds',
  webhook: false,
  atMs: 1_000,
  ...more,
});
const final = (jobId: string, status: string) => ({ jobId, status, errorCode: null });

/** A run of job `a` in ms; without an end it is never seen to end. */
function run(name: string, startMs: number, endMs?: number, more: Partial<RunNote> = {}): Entry<RunNote>[] {
  const note = { run: name, jobId: 'a', number: 1, process: 'worker-1.1', worker: '11', ...more };
  const start = { ...note, what: 'start', atMs: startMs } as const;
  return endMs === undefined ? [start] : [start, { ...note, what: 'succeeded', atMs: endMs }];
}
const ELSEWHERE = { process: 'worker-2.1', worker: '22' };

function verdictOn(evidence: Partial<Evidence>): Verdict {
  return judge({ ...NOTHING, ...evidence }, FAULT_KINDS);
}

describe('the judge of a campaign', () => {
  it('counts what was accepted by how it ended', () => {
    const {
      accepted: all,
      succeeded,
      failed,
      lost,
    } = verdictOn({
      accepted: [accepted('a'), accepted('b', { fate: 'is_refused' }), accepted('c', { fate: 'recovers' })],
      finals: [final('a', 'succeeded'), final('b', 'failed'), final('c', 'succeeded')],
    });
    expect({ all, succeeded, failed, lost }).toEqual({ all: 3, succeeded: 2, failed: 1, lost: [] });
  });

  it('calls a job lost that is not there, was never read, or is not finished', () => {
    const { lost } = verdictOn({
      accepted: [accepted('a'), accepted('b'), accepted('c')],
      finals: [final('a', 'absent'), final('b', 'processing')],
    });
    expect(lost).toEqual(['a', 'b', 'c']);
  });

  it('tells apart what went with what Redis had not kept yet', () => {
    const verdict = verdictOn({
      accepted: [accepted('a', { atMs: 900 }), accepted('b', { atMs: 2_001 }), accepted('c', { atMs: 2_500 })],
      faults: [{ kind: 'kill_redis', fromMs: 2_000, untilMs: 2_300, processes: undefined, lostFromMs: 1_000 }],
    });
    expect({ lost: verdict.lost, lostWithRedis: verdict.lostWithRedis }).toEqual({ lost: ['a', 'c'], lostWithRedis: ['b'] });
  });

  it('calls a burial wrong that was not to be, and a success that was not to be a wrong outcome', () => {
    const { wronglyBuried, wrongOutcomes } = verdictOn({
      accepted: [accepted('a'), accepted('b', { fate: 'is_refused' }), accepted('c')],
      finals: [final('a', 'failed'), final('b', 'succeeded'), final('c', 'expired')],
    });
    expect({ wronglyBuried, wrongOutcomes }).toEqual({ wronglyBuried: ['a'], wrongOutcomes: ['b', 'c'] });
  });

  it('finds a submit that became two jobs', () => {
    const runs = [...run('1', 1_000, 1_100), ...run('2', 1_200, 1_300, { jobId: 'b' })];
    expect(verdictOn({ runs }).doubled).toEqual([1]);
  });

  it('counts the runs of a job beyond the first that came to its end', () => {
    const runs = [...run('1', 1_000, 1_100), ...run('2', 1_200, 1_300), ...run('3', 1_400)];
    expect(verdictOn({ runs }).duplicateRuns).toBe(1);
  });
});

describe('overlapping runs', () => {
  const twoAtOnce = [...run('1', 1_000, 5_000), ...run('2', 4_000, 4_500, ELSEWHERE)];
  const hold = { jobId: 'a', worker: '11', firstSeenMs: 1_000, lastSeenMs: 3_000, leaseEndMs: 3_900 };

  it('are two runs of a job while the earlier one has a live lease on it', () => {
    const { overlaps } = verdictOn({ runs: twoAtOnce, holds: [{ ...hold, leaseEndMs: 6_000 }] });
    expect(overlaps).toMatchObject([{ earlier: { worker: '11' }, later: { worker: '22' } }]);
  });

  it.each([
    ['the lease was over', hold],
    ['the lease was on another job', { ...hold, jobId: 'b', leaseEndMs: 6_000 }],
    ['the lease was of another worker', { ...hold, worker: '22', leaseEndMs: 6_000 }],
    ['the worker got the job again later', { ...hold, firstSeenMs: 4_600, lastSeenMs: 4_900, leaseEndMs: 6_000 }],
  ])('are none when %s', (_why, seen) => {
    expect(verdictOn({ runs: twoAtOnce, holds: [seen] }).overlaps).toEqual([]);
  });

  it('are none when the earlier run was over, or its process dead', () => {
    const live = { ...hold, leaseEndMs: 6_000 };
    expect(verdictOn({ runs: [...run('1', 1_000, 3_000), ...run('2', 4_000, 5_000)], holds: [live] }).overlaps).toEqual([]);
    const kill: Fault = { kind: 'kill_worker', fromMs: 2_000, untilMs: 2_500, processes: ['worker-1.1'] };
    const killed = [...run('1', 1_000), ...run('2', 4_000, 5_000, ELSEWHERE)];
    expect(verdictOn({ runs: killed, holds: [live], faults: [kill] }).overlaps).toEqual([]);
  });

  it('are none when Redis lost in between what it had answered', () => {
    const faults: Fault[] = [{ kind: 'kill_redis', fromMs: 3_500, untilMs: 3_600, processes: undefined, lostFromMs: 1_500 }];
    expect(verdictOn({ runs: twoAtOnce, holds: [{ ...hold, leaseEndMs: 6_000 }], faults }).overlaps).toEqual([]);
  });
});

const lengthsOf = ({ recoveries }: Verdict) => recoveries.map(({ ms }) => ms);

describe('the recovery of a run that lost its worker', () => {
  const killed = [...run('1', 1_000), ...run('2', 7_000, 8_000, ELSEWHERE)];
  const kill: Fault = { kind: 'kill_worker', fromMs: 2_000, untilMs: 2_500, processes: ['worker-1.1'] };

  it('counts from the death of the worker to the next start', () => {
    expect(lengthsOf(verdictOn({ runs: killed, faults: [kill] }))).toEqual([5_000]);
  });

  it('counts from the return of Redis when it was away meanwhile', () => {
    const outage = (fromMs: number, untilMs: number): Fault => ({ kind: 'kill_redis', fromMs, untilMs, processes: undefined });
    expect(lengthsOf(verdictOn({ runs: killed, faults: [kill, outage(1_500, 3_000)] }))).toEqual([4_000]);
    expect(lengthsOf(verdictOn({ runs: killed, faults: [kill, outage(1_500, 1_900)] }))).toEqual([5_000]);
  });

  it('counts from the stop of a worker that lost its jobs by it', () => {
    const stop: Fault = { kind: 'stop_worker', fromMs: 1_500, untilMs: 9_000, processes: ['worker-1.1'] };
    const late = [...run('1', 1_000, 9_100), ...run('2', 7_000, 8_000, ELSEWHERE)];
    expect(lengthsOf(verdictOn({ runs: late, faults: [stop] }))).toEqual([5_500]);
    expect(lengthsOf(verdictOn({ runs: run('1', 1_000, 9_100), faults: [stop] }))).toEqual([]);
  });

  it('is none for a run that ended by itself', () => {
    const retried = [...run('1', 1_000, 1_900), ...run('2', 7_000, 8_000, ELSEWHERE)];
    expect(lengthsOf(verdictOn({ runs: retried, faults: [kill] }))).toEqual([]);
  });
});

describe('the ends that webhooks are told of', () => {
  const ended = {
    accepted: [accepted('a', { webhook: true }), accepted('b', { webhook: true, fate: 'is_refused' }), accepted('c')],
    finals: [final('a', 'succeeded'), final('b', 'failed'), final('c', 'succeeded')],
  };
  const told = (jobId: string, event: string, messageId = `msg_${jobId}`) => ({ messageId, jobId, event });
  const right = [told('a', 'job.succeeded'), told('b', 'job.failed')];

  it('are those of the jobs that asked for it, each once at least', () => {
    const { webhooks } = verdictOn({ ...ended, deliveries: [...right, ...right] });
    expect(webhooks).toEqual({ asked: 2, repeated: 2, missing: [], wrong: [] });
  });

  it('are missing where nobody told of them, or of another end alone', () => {
    const { webhooks } = verdictOn({ ...ended, deliveries: [told('a', 'job.failed')] });
    expect(webhooks).toEqual({ asked: 2, repeated: 0, missing: ['a', 'b'], wrong: ['a'] });
  });

  it('are wrong where a job ended more than once, unless Redis forgot the first end', () => {
    const deliveries = [...right, told('a', 'job.succeeded', 'msg_a_2')];
    const faults: Fault[] = [{ kind: 'kill_redis', fromMs: 1, untilMs: 2, processes: undefined, lostFromMs: 0 }];
    expect(verdictOn({ ...ended, deliveries }).webhooks).toMatchObject({ repeated: 0, missing: [], wrong: ['a'] });
    expect(verdictOn({ ...ended, deliveries, faults }).webhooks.wrong).toEqual([]);
  });

  it('are not awaited of a job that did not end', () => {
    expect(verdictOn({ accepted: ended.accepted }).webhooks).toMatchObject({ asked: 0, missing: [] });
  });
});

describe('the faults of a campaign', () => {
  it('interrupt the runs of the workers that they hit', () => {
    const runs = [...run('1', 1_000, 3_000), ...run('2', 1_000, 3_000, ELSEWHERE), ...run('3', 2_500, 3_000)];
    const fault = { kind: 'cut', fromMs: 2_000, untilMs: 2_000 } as const;
    const { faults } = verdictOn({
      runs,
      faults: [
        { ...fault, processes: ['worker-1.1'] },
        { ...fault, processes: undefined },
      ],
    });
    expect(faults.cut).toEqual({ times: 2, interrupted: 3 });
  });

  it('interrupt the submits that the api they hit does not answer', () => {
    const faults: Fault[] = [{ kind: 'kill_api', fromMs: 2_000, untilMs: 2_500, processes: ['api-1.1'] }];
    const unanswered = [
      { api: 'api-1', atMs: 2_100 },
      { api: 'api-2', atMs: 2_100 },
      { api: 'api-1', atMs: 1_900 },
    ];
    expect(verdictOn({ unanswered, faults }).faults.kill_api).toEqual({ times: 1, interrupted: 1 });
  });

  it('that leave handlers be interrupt the calls that Redis refuses for them', () => {
    const fault = (kind: Fault['kind'], fromMs: number): Fault => ({ kind, fromMs, untilMs: fromMs + 100, processes: undefined });
    // As they are written down: at their end.
    const faults = [
      fault('flush_scripts', 2_000),
      fault('kill_redis', 4_000),
      fault('flush_scripts', 3_000),
      fault('full_memory', 1_000),
    ];
    const refusals = [
      { error: 'OOM', atMs: 900 },
      { error: 'OOM', atMs: 1_050 },
      { error: 'OOM', atMs: 1_101 },
      { error: 'NOSCRIPT', atMs: 1_999 },
      { error: 'NOSCRIPT', atMs: 2_000 },
      { error: 'NOSCRIPT', atMs: 3_500 },
      // It came back without scripts.
      { error: 'NOSCRIPT', atMs: 4_100 },
    ] as const;
    const runs = run('1', 500, 5_000);
    const counted = verdictOn({ runs, faults, refusals }).faults;
    expect(counted.full_memory).toEqual({ times: 1, interrupted: 2 });
    expect(counted.flush_scripts).toEqual({ times: 2, interrupted: 2 });
    expect(counted.kill_redis).toEqual({ times: 1, interrupted: 1 });
  });
});
