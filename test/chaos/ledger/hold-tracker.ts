import type { Hold } from './entries.js';

/** Makes of looks at who holds which job the times for which each was seen to be held. */
export class HoldTracker {
  private holds = new Map<string, Hold>();

  /**
   * @param leaseEnds by worker
   * @param running the worker by job
   * @returns the holds that are over
   */
  see(nowMs: number, leaseEnds: ReadonlyMap<string, number>, running: ReadonlyMap<string, string>): Hold[] {
    const holds = new Map<string, Hold>();
    for (const [jobId, worker] of running) {
      const known = this.holds.get(jobId);
      const firstSeenMs = known?.worker === worker ? known.firstSeenMs : nowMs;
      holds.set(jobId, { jobId, worker, firstSeenMs, lastSeenMs: nowMs, leaseEndMs: leaseEnds.get(worker) ?? 0 });
    }
    const over = [...this.holds.values()].filter(({ jobId, worker }) => running.get(jobId) !== worker);
    this.holds = holds;
    return over;
  }

  /** What was held last. */
  end(): Hold[] {
    const rest = [...this.holds.values()];
    this.holds.clear();
    return rest;
  }
}
