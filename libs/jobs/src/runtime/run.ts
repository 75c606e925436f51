import { JobAbortedError, type AbortCause } from '../definition/errors.js';
import type { Settlement } from '../store/exchange.js';
import type { RunReport } from '../telemetry/job-journal.js';

/** How a run ended: what the store is to be told, and what the journal is. */
export interface RunEnd {
  readonly settlement: Settlement;
  readonly report: RunReport;
  /** The handler goes on: the run is a zombie until it ends. */
  readonly pastHardLimit?: true;
}

/** One run of one job in this process. */
export class Run {
  private controller: AbortController | undefined;
  private cause: AbortCause | undefined;
  readonly startedAt = performance.now();

  /** Made when it is first asked for: most handlers never ask. */
  get signal(): AbortSignal {
    if (this.controller === undefined) {
      this.controller = new AbortController();
      if (this.cause !== undefined) this.controller.abort(new JobAbortedError(this.cause));
    }
    return this.controller.signal;
  }

  /** Why the run was told to stop; undefined while it was not. */
  get abortCause(): AbortCause | undefined {
    return this.cause;
  }

  /** The first cause stands. */
  abort(cause: AbortCause): void {
    if (this.cause !== undefined) return;
    this.cause = cause;
    this.controller?.abort(new JobAbortedError(cause));
  }

  get seconds(): number {
    return (performance.now() - this.startedAt) / 1_000;
  }
}
