import type { IsolateReport } from '../isolate-messages.js';

/** Told more often than this, progress is sent this often: a handler that tells it in a loop is not to flood the process. */
const PERIOD_MS = 100;

type Progress = Extract<IsolateReport, { kind: 'progress' }>;

/** Sends the latest progress of a run, now or a little later. By the clock, since a handler that computes leaves timers no turn. */
export class ProgressReports {
  private sentAt = Number.NEGATIVE_INFINITY;
  private latest: Progress | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly report: (report: IsolateReport) => void) {}

  tell(progress: Progress): void {
    this.latest = progress;
    const waitMs = this.sentAt + PERIOD_MS - performance.now();
    if (waitMs <= 0) this.flush();
    else
      this.timer ??= setTimeout(() => {
        this.flush();
      }, waitMs);
  }

  /** Sends what is left. */
  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.latest === undefined) return;
    this.report(this.latest);
    this.latest = undefined;
    this.sentAt = performance.now();
  }
}
