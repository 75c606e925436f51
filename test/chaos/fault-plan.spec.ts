import { FAULT_KINDS, planFaults } from './fault-plan.js';

const SETTINGS = { seed: 1, durationMs: 70_000, leaseMs: 3_000, kinds: FAULT_KINDS };

describe('the plan of faults', () => {
  it('is the same for the same seed, and another one for another', () => {
    expect(planFaults(SETTINGS)).toEqual(planFaults(SETTINGS));
    expect(planFaults({ ...SETTINGS, seed: 2 })).not.toEqual(planFaults(SETTINGS));
  });

  it.each([70_000, 600_000])('has each kind three times at least within %d ms, in order of time', (durationMs) => {
    for (let seed = 0; seed < 50; seed += 1) {
      const plan = planFaults({ ...SETTINGS, seed, durationMs });
      for (const kind of FAULT_KINDS) {
        expect(plan.filter((fault) => fault.kind === kind).length).toBeGreaterThanOrEqual(3);
      }
      const times = plan.map(({ atMs }) => atMs);
      expect(times).toEqual(times.toSorted((a, b) => a - b));
      expect(times.every((atMs) => atMs >= 0 && atMs < durationMs)).toBe(true);
    }
  });

  it('spreads the faults of a kind over all processes, and takes both ways', () => {
    for (let seed = 0; seed < 50; seed += 1) {
      const plan = planFaults({ ...SETTINGS, seed });
      for (const kind of FAULT_KINDS) {
        const ofKind = plan.filter((fault) => fault.kind === kind);
        const thirds = new Set(ofKind.map(({ target }) => Math.floor(3 * target)));
        expect([...thirds].toSorted((a, b) => a - b)).toEqual([0, 1, 2]);
        expect(new Set(ofKind.map(({ way }) => way)).size).toBe(2);
      }
    }
  });

  it('stops a worker for longer than its lease', () => {
    const stops = planFaults(SETTINGS).filter(({ kind }) => kind === 'stop_worker');
    for (const { forMs } of stops) expect(forMs).toBeGreaterThan(SETTINGS.leaseMs);
  });

  it('leaves out what this system cannot do', () => {
    const kinds = FAULT_KINDS.filter((kind) => kind !== 'clock');
    expect(planFaults({ ...SETTINGS, kinds }).map(({ kind }) => kind)).not.toContain('clock');
  });
});
