import { FAULT_KINDS, type FaultKind } from '../fault-plan.js';
import type { Entry, Fault, RunNote } from '../ledger/entries.js';
import { ALL_HELD, complaintsOf, reportOf } from '../report.js';
import { exitCodeOf, judge, type Evidence } from './judge.js';

/** The ledgers of a small campaign in which all held: three jobs, of which one needs two attempts, and three faults of each kind. */
const SOUND: Evidence = {
  accepted: [
    { jobId: 'a', number: 1, fate: 'succeeds', webhook: true, atMs: 1_000 },
    { jobId: 'b', number: 2, fate: 'is_refused', webhook: true, atMs: 1_000 },
    { jobId: 'c', number: 3, fate: 'recovers', webhook: false, atMs: 1_000 },
  ],
  unanswered: [],
  runs: [
    ...run('1', { jobId: 'a', number: 1 }, 1_100, 4_000),
    ...run('2', { jobId: 'b', number: 2 }, 1_100, 1_200, 'failed'),
    ...run('3', { jobId: 'c', number: 3 }, 1_100, 1_200, 'failed'),
    ...run('4', { jobId: 'c', number: 3 }, 1_400, 1_500),
  ],
  holds: [{ jobId: 'a', worker: '11', firstSeenMs: 1_100, lastSeenMs: 3_950, leaseEndMs: 6_000 }],
  finals: [end('a', 'succeeded'), end('b', 'failed'), end('c', 'succeeded')],
  deliveries: [
    { messageId: 'msg_a', jobId: 'a', event: 'job.succeeded' },
    { messageId: 'msg_b', jobId: 'b', event: 'job.failed' },
  ],
  refusals: [
    { error: 'OOM', atMs: 3_010 },
    { error: 'NOSCRIPT', atMs: 3_010 },
  ],
  // Scripts are flushed last, so that a Redis that comes back is not why it does not know them.
  faults: FAULT_KINDS.flatMap((kind) =>
    [2_000, 2_500, kind === 'flush_scripts' ? 3_001 : 3_000].map((fromMs): Fault => ({
      kind,
      fromMs,
      untilMs: fromMs + 10,
      processes: undefined,
    })),
  ),
};

function run(
  name: string,
  job: Pick<RunNote, 'jobId' | 'number'>,
  startMs: number,
  endMs: number,
  what: RunNote['what'] = 'succeeded',
  where = { process: 'worker-1.1', worker: '11' },
): Entry<RunNote>[] {
  const note = { run: name, ...job, ...where };
  return [
    { ...note, what: 'start', atMs: startMs },
    { ...note, what, atMs: endMs },
  ];
}

function end(jobId: string, status: string) {
  return { jobId, status, errorCode: null };
}

const SETTING = { seed: 1, minutes: 1, mode: 'always', leaseMs: 3_000, crowdKill: { running: 0, processes: [] } } as const;

/** What a campaign with these ledgers comes to. */
function resultOf(evidence: Evidence) {
  const verdict = judge(evidence, FAULT_KINDS);
  const report = JSON.parse(reportOf(SETTING, verdict)) as Record<string, unknown>;
  const counts = Object.fromEntries(Object.keys(ALL_HELD).map((name) => [name, report[name]]));
  return { code: exitCodeOf(verdict), counts, complaints: complaintsOf(verdict), report };
}

const withEnd = (jobId: string, status: string): Evidence['finals'] =>
  SOUND.finals.map((final) => (final.jobId === jobId ? end(jobId, status) : final));
const toldOf = (jobId: string, ...events: readonly string[]): Evidence['deliveries'] => [
  ...SOUND.deliveries.filter((delivery) => delivery.jobId !== jobId),
  ...events.map((event, index) => ({ messageId: `msg_${jobId}_${index}`, jobId, event })),
];
const ELSEWHERE = { process: 'worker-2.1', worker: '22' };

describe('ledgers in which all held', () => {
  it('lead to exit code 0 and no complaint', () => {
    const { code, counts, complaints, report } = resultOf(SOUND);
    expect({ code, counts, complaints }).toEqual({ code: 0, counts: ALL_HELD, complaints: [] });
    expect(report).toMatchObject({ accepted: 3, succeeded: 2, failed: 1, duplicate_runs: 0, webhooks: 2, webhooks_repeated: 0 });
  });

  it('may have runs and messages that came twice', () => {
    const runs = [...SOUND.runs, ...run('5', { jobId: 'a', number: 1 }, 4_100, 4_200, 'succeeded', ELSEWHERE)];
    const { code, report } = resultOf({ ...SOUND, runs, deliveries: [...SOUND.deliveries, ...SOUND.deliveries] });
    expect({ code, report }).toMatchObject({ code: 0, report: { duplicate_runs: 1, webhooks_repeated: 2 } });
  });
});

describe('a doctored ledger', () => {
  it.each<[string, Partial<Evidence>, Partial<typeof ALL_HELD>, RegExp]>([
    [
      'the final status of an accepted job was never read',
      { finals: SOUND.finals.filter(({ jobId }) => jobId !== 'c') },
      { lost: 1 },
      /^lost: c$/,
    ],
    ['an accepted job is not there', { finals: withEnd('c', 'absent') }, { lost: 1 }, /^lost: c$/],
    ['an accepted job is still under way', { finals: withEnd('c', 'processing') }, { lost: 1 }, /^lost: c$/],
    [
      'a job failed that had to succeed',
      { finals: withEnd('a', 'failed'), deliveries: toldOf('a', 'job.failed') },
      { wrongly_buried: 1 },
      /^wrongly buried: a$/,
    ],
    [
      'a job succeeded that had to fail',
      { finals: withEnd('b', 'succeeded'), deliveries: toldOf('b', 'job.succeeded') },
      { wrong_outcomes: 1 },
      /^wrong outcome: b$/,
    ],
    [
      'a job was cancelled that nobody cancelled',
      { finals: withEnd('c', 'cancelled') },
      { wrong_outcomes: 1 },
      /^wrong outcome: c$/,
    ],
    [
      'a job succeeded of which no run did',
      { runs: SOUND.runs.filter(({ run: name }) => name !== '4') },
      { wrong_outcomes: 1 },
      /^wrong outcome: c$/,
    ],
    [
      'a job failed of which no run did',
      { runs: SOUND.runs.filter(({ run: name }) => name !== '2') },
      { wrongly_buried: 1 },
      /^wrongly buried: b$/,
    ],
    [
      'a run began while another worker ran the job under a live lease',
      { runs: [...SOUND.runs, ...run('5', { jobId: 'a', number: 1 }, 3_000, 3_500, 'succeeded', ELSEWHERE)] },
      { overlapping_runs: 1 },
      /^overlap: .*"jobId":"a"/,
    ],
    [
      'a submit became two jobs',
      { runs: [...SOUND.runs, ...run('5', { jobId: 'd', number: 1 }, 4_100, 4_200)] },
      { doubled: 1 },
      /^doubled: 1$/,
    ],
    ['the end of a job was not told', { deliveries: toldOf('a') }, { webhooks_missing: 1 }, /^webhook missing: a$/],
    [
      'two ends of a job were told',
      { deliveries: toldOf('a', 'job.failed', 'job.succeeded') },
      { webhooks_wrong: 1 },
      /^webhook wrong: a$/,
    ],
    [
      'a job was told to have ended twice',
      { deliveries: toldOf('a', 'job.succeeded', 'job.succeeded') },
      { webhooks_wrong: 1 },
      /^webhook wrong: a$/,
    ],
  ])('in which %s leads to exit code 1 and names the job', (_what, doctored, found, complaint) => {
    const { code, counts, complaints } = resultOf({ ...SOUND, ...doctored });
    expect({ code, counts, complaints }).toEqual({
      code: 1,
      counts: { ...ALL_HELD, ...found },
      complaints: [expect.stringMatching(complaint)],
    });
  });

  it('leads to exit code 1 also when there were too few faults', () => {
    expect(resultOf({ ...SOUND, faults: [], finals: withEnd('c', 'absent') }).code).toBe(1);
  });

  it.each(FAULT_KINDS)('in which %s took place twice only leads to exit code 2', (kind) => {
    const last = SOUND.faults.findLastIndex((fault) => fault.kind === kind);
    expect(resultOf({ ...SOUND, faults: SOUND.faults.toSpliced(last, 1) }).code).toBe(2);
  });

  it.each(FAULT_KINDS)('in which %s interrupted nothing leads to exit code 2', (kind) => {
    const { code, report } = resultOf({ ...SOUND, ...withoutVictims(kind) });
    expect({ code, faults: report['faults'] }).toMatchObject({ code: 2, faults: { [kind]: { times: 3, interrupted: 0 } } });
  });

  it('in which the observer saw next to nothing leads to exit code 2', () => {
    const { code, report } = resultOf({ ...SOUND, holds: [] });
    expect({ code, report }).toMatchObject({ code: 2, report: { observed: 0 } });
  });

  it('needs no fault that the system cannot do', () => {
    const faults = SOUND.faults.filter(({ kind }) => kind !== 'clock');
    const verdict = judge(
      { ...SOUND, faults },
      FAULT_KINDS.filter((kind) => kind !== 'clock'),
    );
    expect({ code: exitCodeOf(verdict), clock: verdict.faults.clock }).toEqual({ code: 0, clock: undefined });
  });
});

function withoutVictims(kind: FaultKind): Partial<Evidence> {
  const error = kind === 'full_memory' ? 'OOM' : kind === 'flush_scripts' ? 'NOSCRIPT' : undefined;
  if (error !== undefined) return { refusals: SOUND.refusals.filter((refusal) => refusal.error !== error) };
  return { faults: SOUND.faults.map((fault) => (fault.kind === kind ? { ...fault, processes: ['worker-9.1'] } : fault)) };
}
