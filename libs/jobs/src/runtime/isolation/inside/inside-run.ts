import { checkMessage } from '../../../definition/check-message.js';
import type { Checkpoint, JobContext, JobLog } from '../../../definition/job-context.js';
import type { EnqueuedJob } from '../../../definition/enqueued-job.js';
import { parsePayload, payloadToJson } from '../../../definition/payload.js';
import { keptJson } from '../../kept-value.js';
import { progressJson } from '../../progress.js';
import { resultJson } from '../../result-json.js';
import { StepNesting } from '../../step-nesting.js';
import type { Carried } from '../carried.js';
import { carry } from '../carry.js';
import { restore } from '../restore.js';
import type { IsolateCall, IsolateReport, IsolatedJob, LogLevel } from '../isolate-messages.js';
import type { Calls } from './calls.js';
import type { FoundHandler } from './find-handler.js';
import { ProgressReports } from './progress-reports.js';

type Report = (report: IsolateReport) => void;

/** One job in its thread: calls the handler with a context whose every act is a message to the process. */
export class InsideRun {
  private readonly controller = new AbortController();
  private readonly progress: ProgressReports;
  private readonly nesting = new StepNesting();
  private over = false;

  constructor(
    private readonly run: number,
    private readonly job: IsolatedJob,
    private readonly found: FoundHandler,
    private readonly calls: Calls,
    private readonly report: Report,
  ) {
    this.progress = new ProgressReports(report);
  }

  /** Tells the process how the handler ended; never rejects. */
  async execute(): Promise<void> {
    const { run } = this;
    const end = await this.work().then(
      (json): IsolateReport => ({ kind: 'returned', run, json }),
      (thrown: unknown): IsolateReport => ({ kind: 'threw', run, thrown: carry(thrown) }),
    );
    this.over = true;
    this.progress.flush();
    this.report(end);
  }

  abort(reason: Carried): void {
    this.controller.abort(restore(reason));
  }

  private async work(): Promise<string> {
    const { definition, handler } = this.found;
    return resultJson(await handler.handle(this.context(definition.type)));
  }

  private context(type: string): JobContext {
    const { payloadJson, checkpointJson: _, ...job } = this.job;
    return {
      ...job,
      type,
      payload: parsePayload(this.found.definition, JSON.parse(payloadJson), 'ignore'),
      signal: this.controller.signal,
      log: this.log(),
      progress: (percent, message, data) => {
        // Refused here, where it is told, as it would be in the process.
        progressJson(percent, message, data);
        const dataJson = data === undefined ? undefined : keptJson(data);
        if (!this.over) this.progress.tell({ kind: 'progress', run: this.run, percent, message, dataJson });
      },
      checkpoint: this.checkpoint(),
      // What the work returned, or returned in an earlier run.
      step: async <T>(name: string, work: () => T | Promise<T>) => {
        // The process cannot know in whose work this is asked for.
        this.nesting.check(name);
        return (await this.ask({ kind: 'step', name }, () => this.nesting.run(name, work))) as T;
      },
      enqueue: async (definition, payload, options = {}) => {
        const payloadJson = payloadToJson(definition.type, payload);
        // The process answers with what its queue did.
        return (await this.ask({ kind: 'enqueue', type: definition.type, payloadJson, options })) as EnqueuedJob;
      },
    };
  }

  private checkpoint(): Checkpoint {
    const { checkpointJson } = this.job;
    let value: unknown = checkpointJson === undefined ? undefined : JSON.parse(checkpointJson);
    return {
      get value() {
        return value;
      },
      save: async (next) => {
        value = await this.ask({ kind: 'save_checkpoint', json: keptJson(next) });
      },
    };
  }

  private log(): JobLog {
    const { jobId } = this.job;
    const write =
      (level: LogLevel) =>
      (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
        // Refused here, where it is said, as it would be in the process.
        checkMessage(message);
        this.report({ kind: 'job_log', jobId, level, message, fields: carry(fields) });
      };
    return { info: write('info'), warn: write('warn'), error: write('error') };
  }

  private ask(asks: IsolateCall, work?: () => unknown): Promise<unknown> {
    if (this.over) throw new Error(`The handler of ${this.job.jobId} has ended; nothing can be done in its name any more.`);
    return this.calls.ask(this.run, asks, work);
  }
}
