import type { JobCatalog } from '../../definition/job-catalog.js';
import type { JobContext } from '../../definition/job-context.js';
import { payloadToJson } from '../../definition/payload.js';
import { carry } from './carry.js';
import { restore } from './restore.js';
import type { IsolateCall, IsolateOrder, IsolateReport, IsolatedJob } from './isolate-messages.js';

type Say = (order: IsolateOrder) => void;

/** The two ends of a promise. */
export interface Outcome {
  resolve(result: unknown): void;
  reject(error: unknown): void;
}

/** What a run is told by its isolate. */
export type RunReport = Extract<
  IsolateReport,
  { kind: 'progress' | 'call' | 'worked' | 'work_threw' | 'returned' | 'threw' | 'job_log' }
>;

/** A job that runs in an isolate, as the process sees it: what the handler asks of its context there is done with the context here. */
export class IsolatedRun {
  readonly job: IsolatedJob;
  private over = false;
  /** The steps whose work is being done in the isolate, by the number of the call. */
  private readonly works = new Map<number, Outcome>();

  /**
   * @param outcome told once how the run ended.
   * @throws {InvalidPayloadError} when the payload cannot be written as JSON.
   */
  constructor(
    readonly context: JobContext,
    private readonly catalog: JobCatalog,
    private readonly outcome: Outcome,
  ) {
    const { jobId, attempt, maxAttempts, run, traceId, requestId, traceparent, tracestate, signAs } = context;
    const payloadJson = payloadToJson(context.type, context.payload);
    const checkpointJson = toJson(context.checkpoint.value);
    const said = { jobId, attempt, maxAttempts, run, traceId, requestId, traceparent, tracestate, signAs };
    this.job = { ...said, payloadJson, checkpointJson };
  }

  /** Ends the run, whatever goes on in its isolate. */
  fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.outcome.reject(error);
    for (const work of this.works.values()) work.reject(error);
    this.works.clear();
  }

  /** Once the run is over, what is still said in its name has no effect but on the log. */
  hear(report: RunReport, say: Say): void {
    if (this.over && report.kind !== 'job_log') return;
    switch (report.kind) {
      case 'returned':
        this.over = true;
        this.outcome.resolve(fromJson(report.json));
        break;
      case 'threw':
        this.fail(restore(report.thrown));
        break;
      case 'job_log':
        // Made by carry() of an object.
        this.context.log[report.level](report.message, restore(report.fields) as Readonly<Record<string, unknown>>);
        break;
      case 'progress':
        this.progress(report.percent, report.message, fromJson(report.dataJson));
        break;
      case 'worked':
        this.works.get(report.call)?.resolve(fromJson(report.json));
        this.works.delete(report.call);
        break;
      case 'work_threw':
        this.works.get(report.call)?.reject(restore(report.thrown));
        this.works.delete(report.call);
        break;
      case 'call':
        void this.answer(report.call, report.asks, say);
    }
  }

  /** Nobody waits for it, so what is wrong with it can only be logged. */
  private progress(...args: Parameters<JobContext['progress']>): void {
    try {
      this.context.progress(...args);
    } catch (error) {
      this.context.log.warn('progress was refused', { err: error });
    }
  }

  private async answer(call: number, asks: IsolateCall, say: Say): Promise<void> {
    try {
      say({ kind: 'answer', call, value: await this.done(call, asks, say) });
    } catch (thrown) {
      say({ kind: 'refusal', call, thrown: carry(thrown) });
    }
  }

  private async done(call: number, asks: IsolateCall, say: Say): Promise<unknown> {
    const { context } = this;
    switch (asks.kind) {
      case 'save_checkpoint':
        await context.checkpoint.save(fromJson(asks.json));
        return context.checkpoint.value;
      case 'enqueue':
        // The queue checks it against the definition's class.
        return context.enqueue(this.catalog.get(asks.type), fromJson(asks.payloadJson) as object, asks.options);
      case 'step':
        return context.step(
          asks.name,
          () =>
            new Promise((resolve, reject) => {
              this.works.set(call, { resolve, reject });
              say({ kind: 'work', call });
            }),
        );
    }
  }
}

function toJson(value: unknown): string | undefined {
  return JSON.stringify(value);
}

function fromJson(json: string | undefined): unknown {
  return json === undefined || json === '' ? undefined : JSON.parse(json);
}
