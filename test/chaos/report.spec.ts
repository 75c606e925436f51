import { FAULT_KINDS } from './fault-plan.js';
import { judge } from './judge/judge.js';
import { complaintsOf, reportOf } from './report.js';

const SETTING = {
  seed: 7,
  minutes: 1.5,
  mode: 'always',
  leaseMs: 3_000,
  crowdKill: { running: 400, processes: ['worker-3.1', 'worker-4.1'] },
} as const;
const NONE = { accepted: [], unanswered: [], runs: [], holds: [], finals: [], faults: [], deliveries: [], refusals: [] };

describe('the report of a campaign', () => {
  it('is one line of JSON', () => {
    const kinds = FAULT_KINDS.filter((kind) => kind !== 'clock');
    const recoveries = [
      { process: 'worker-3.1', ms: 100 },
      { process: 'worker-3.2', ms: 300 },
      { process: 'worker-4.1', ms: 200 },
    ];
    const line = reportOf(SETTING, { ...judge(NONE, kinds), recoveries });
    expect(line).not.toContain('\n');
    expect(JSON.parse(line)).toMatchObject({
      seed: 7,
      mode: 'always',
      lost: 0,
      recovery_ms: { count: 3, p50: 200, p99: 300, max: 300 },
      running_at_kill: 400,
      recovery_at_kill_ms: { count: 2, p50: 100, p99: 200, max: 200 },
      faults: { kill_worker: { times: 0, interrupted: 0 }, clock: 'left out' },
    });
  });

  it('tells what went with Redis only where Redis may lose something', () => {
    const verdict = judge(NONE, FAULT_KINDS);
    expect(reportOf(SETTING, verdict)).not.toContain('lost_with_redis');
    expect(reportOf({ ...SETTING, mode: 'none' }, verdict)).toContain('"lost_with_redis":0');
  });

  it('names some of the jobs behind what ought to be 0', () => {
    const lost = Array.from({ length: 11 }, (_, index) => `job-${index}`);
    const complaints = complaintsOf({ ...judge(NONE, FAULT_KINDS), lost });
    expect(complaints).toEqual([`lost: ${lost.slice(0, 10).join(', ')}`]);
  });
});
