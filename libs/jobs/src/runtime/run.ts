import { JobAbortedError, type AbortCause } from '../definition/errors.js';
import type { Settlement } from '../store/exchange.js';
import type { RunReport } from '../telemetry/job-journal.js';

/** How a run ended: what the store is to be told, and what the journal is. */
export interface RunEnd {
  readonly settlement: Settlement;
  readonly report: RunReport;
}

/** One run of one job in this process. */
export class Run {
  private readonly controller = new AbortController();
  readonly startedAt = performance.now();

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Why the run was told to stop; undefined while it was not. */
  get abortCause(): AbortCause | undefined {
    const reason: unknown = this.controller.signal.reason;
    return reason instanceof JobAbortedError ? reason.code : undefined;
  }

  /** The first cause stands. */
  abort(cause: AbortCause): void {
    if (!this.controller.signal.aborted) this.controller.abort(new JobAbortedError(cause));
  }

  get seconds(): number {
    return (performance.now() - this.startedAt) / 1_000;
  }
}
