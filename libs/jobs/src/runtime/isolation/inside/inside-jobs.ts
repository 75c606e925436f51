import type { IsolateOrder, IsolateReport } from '../isolate-messages.js';
import { Calls } from './calls.js';
import type { FoundHandler } from './find-handler.js';
import { InsideRun } from './inside-run.js';

type JobOrder = Exclude<IsolateOrder, { kind: 'end' }>;

/** The jobs of a thread, one after the other, as the process orders them. */
export class InsideJobs {
  private readonly calls: Calls;
  private current: { readonly number: number; readonly run: InsideRun } | undefined;

  constructor(
    private readonly found: FoundHandler,
    private readonly report: (report: IsolateReport) => void,
  ) {
    this.calls = new Calls(report);
  }

  /** Resolves when what the order began is over; never rejects. */
  async obey(order: JobOrder): Promise<void> {
    switch (order.kind) {
      case 'run': {
        const run = new InsideRun(order.run, order.job, this.found, this.calls, this.report);
        this.current = { number: order.run, run };
        await run.execute();
        break;
      }
      case 'abort':
        if (this.current?.number === order.run) this.current.run.abort(order.reason);
        break;
      case 'answer':
        this.calls.answer(order.call, order.value);
        break;
      case 'refusal':
        this.calls.refuse(order.call, order.thrown);
        break;
      case 'work':
        await this.calls.work(order.call);
    }
  }
}
