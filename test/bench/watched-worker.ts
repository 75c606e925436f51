import { nowMs, type WorkerReport } from './protocol.js';
import type { OpenWorker, Side, WorkerSettings } from './sides/side.js';

const LOOK_MS = 1;

/** A worker of one side and what is seen of it from within its process. */
export class WatchedWorker {
  private worker: OpenWorker | undefined;
  private ran = 0;
  private ranBefore = 0;
  private reported = 0;
  private firstStartMs = 0;
  private cpuAtStart = process.cpuUsage();
  private watch: NodeJS.Timeout | undefined;

  /** @param reports how far it has come, or each run. */
  constructor(
    private readonly reports: WorkerReport['report'],
    private readonly tell: (report: WorkerReport) => void,
  ) {}

  async open(side: Side, settings: WorkerSettings): Promise<void> {
    this.worker = await side.openWorker(settings, (number) => {
      this.onRun(number);
    });
  }

  start(): void {
    if (this.reports === 'progress') this.watch = setInterval(() => void this.look(), LOOK_MS);
    this.worker?.start();
  }

  async close(): Promise<void> {
    clearInterval(this.watch);
    await this.worker?.close();
  }

  private onRun(number: number): void {
    if (this.reports === 'runs') this.tell({ report: 'runs', number, atMs: nowMs() });
    if (this.ran === 0) {
      this.firstStartMs = nowMs();
      this.cpuAtStart = process.cpuUsage();
    }
    this.ran += 1;
  }

  /** Once no handler has run for a look's time, and all that ran is settled, that is told: the parent adds up. */
  private async look(): Promise<void> {
    const { ran, worker } = this;
    const quiet = ran === this.ranBefore;
    this.ranBefore = ran;
    if (!quiet || ran === this.reported || worker === undefined) return;
    const settled = await worker.settled();
    const lastEndMs = nowMs();
    if (settled !== ran || this.ran !== ran || this.reported === ran) return;
    this.reported = ran;
    const { user, system } = process.cpuUsage(this.cpuAtStart);
    this.tell({ report: 'progress', settled, firstStartMs: this.firstStartMs, lastEndMs, cpuUs: user + system });
  }
}
