import { MessageChannel, Worker, receiveMessageOnPort, type MessagePort, type ResourceLimits } from 'node:worker_threads';
import { NestLog, type Logger } from '@antrean/platform';
import { carry } from './carry.js';
import { restore } from './restore.js';
import { ThreadBootError, ThreadDiedError } from './isolate-errors.js';
import { parseReport, type IsolateOrder, type IsolateReport } from './isolate-messages.js';
import type { IsolateSetup } from './isolate-setup.js';
import type { IsolatedRun } from './isolated-run.js';

/** A module that is not up by then never will be. */
const BOOT_LIMIT_MS = 60_000;
/** What an application may take to close before its thread is ended all the same. */
const CLOSE_LIMIT_MS = 5_000;
/** The part of a bounded heap that objects get which do not live long. */
const YOUNG_PART = 16;

export interface IsolateSettings {
  readonly type: string;
  readonly file: URL;
  /** The most that the thread's JavaScript objects may take, in MiB; undefined leaves it to Node. */
  readonly maxHeapMb: number | undefined;
  readonly logger: Logger;
}

/** Who is told of an isolate's life. */
export interface IsolateOwner {
  /** It has no job: after its start, and after each job. */
  free(isolate: Isolate): void;
  /** Its thread is gone. With an error it could not even start. */
  gone(isolate: Isolate, bootError: ThreadBootError | undefined): void;
}

type State = 'booting' | 'free' | 'busy' | 'ending' | 'gone';

/** One worker thread for the jobs of one type, one job at a time, as the process sees it. */
export class Isolate {
  private readonly port: MessagePort;
  private readonly thread: Worker;
  private readonly nestLog: NestLog;
  private state: State = 'booting';
  /** Why the thread ended without being told to. */
  private fault: unknown;
  private run: IsolatedRun | undefined;
  private runNumber = 0;
  private limit: NodeJS.Timeout;

  /** Starts the thread. */
  constructor(
    private readonly settings: IsolateSettings,
    private readonly owner: IsolateOwner,
  ) {
    const { type, file, maxHeapMb, logger } = settings;
    const { port1, port2 } = new MessageChannel();
    const workerData: IsolateSetup = { port: port2, type, file: file.href };
    this.port = port1;
    this.nestLog = new NestLog(logger);
    this.thread = new Worker(new URL('./isolate-entry.js', import.meta.url), {
      name: type,
      workerData,
      transferList: [port2],
      ...(maxHeapMb === undefined ? {} : { resourceLimits: limitsOf(maxHeapMb) }),
    });
    this.limit = this.terminateIn(BOOT_LIMIT_MS, new Error(`it was not up within ${BOOT_LIMIT_MS / 1_000} s`));
    this.port.on('message', (message: unknown) => {
      this.hear(message);
    });
    this.thread.on('error', (error) => {
      this.fault ??= error;
    });
    this.thread.once('exit', (exitCode) => {
      this.exited(exitCode);
    });
  }

  get booting(): boolean {
    return this.state === 'booting';
  }

  /** Only to one that is free. */
  assign(run: IsolatedRun): void {
    this.state = 'busy';
    this.run = run;
    this.runNumber += 1;
    this.say({ kind: 'run', run: this.runNumber, job: run.job });
  }

  abort(reason: unknown): void {
    this.say({ kind: 'abort', run: this.runNumber, reason: carry(reason) });
  }

  /** Lets its application close; then the thread ends by itself, or is ended a while later. */
  end(): void {
    if (this.state === 'ending' || this.state === 'gone') return;
    this.state = 'ending';
    this.limit = this.terminateIn(CLOSE_LIMIT_MS, undefined);
    this.say({ kind: 'end' });
  }

  /** Ends the thread at once, in the middle of whatever it does. */
  kill(): void {
    if (this.state === 'gone') return;
    this.state = 'ending';
    void this.thread.terminate();
  }

  private readonly say = (order: IsolateOrder): void => {
    this.port.postMessage(order);
  };

  private terminateIn(ms: number, fault: Error | undefined): NodeJS.Timeout {
    return setTimeout(() => {
      this.fault ??= fault;
      void this.thread.terminate();
    }, ms).unref();
  }

  private hear(message: unknown): void {
    const report = parseReport(message);
    switch (report?.kind) {
      case undefined:
        this.settings.logger.warn('a thread sent a message of an unknown form');
        break;
      case 'ready':
        clearTimeout(this.limit);
        this.becomeFree();
        break;
      case 'boot_failed':
        this.fault = restore(report.thrown);
        void this.thread.terminate();
        break;
      case 'nest_log':
        this.nestLog[report.level](restore(report.message), ...report.rest.map(restore));
        break;
      case 'job_log':
        this.log(report);
        break;
      case 'worked':
      case 'work_threw':
        this.run?.hear(report, this.say);
        break;
      case 'call':
      case 'progress':
        if (report.run === this.runNumber) this.run?.hear(report, this.say);
        break;
      case 'returned':
      case 'threw':
        if (report.run !== this.runNumber) break;
        this.run?.hear(report, this.say);
        this.run = undefined;
        this.becomeFree();
    }
  }

  private becomeFree(): void {
    if (this.state === 'ending' || this.state === 'gone') return;
    this.state = 'free';
    this.owner.free(this);
  }

  /** A job's log outlives its run: what goes on in a thread afterwards still says which job it came from. */
  private log(report: Extract<IsolateReport, { kind: 'job_log' }>): void {
    if (this.run?.context.jobId === report.jobId) {
      this.run.hear(report, this.say);
      return;
    }
    // Made by carry() of an object.
    const fields = restore(report.fields) as Readonly<Record<string, unknown>>;
    this.settings.logger[report.level]({ job_id: report.jobId, ...fields }, report.message);
  }

  private exited(exitCode: number): void {
    const { state } = this;
    this.state = 'gone';
    clearTimeout(this.limit);
    // What it said last may not have been heard yet.
    for (let last = receiveMessageOnPort(this.port); last !== undefined; last = receiveMessageOnPort(this.port)) {
      this.hear(last.message);
    }
    this.port.close();
    this.owner.gone(this, state === 'booting' ? this.bootError(exitCode) : undefined);
    if (state === 'free' || state === 'busy') this.died(new ThreadDiedError(exitCode, this.fault));
  }

  private bootError(exitCode: number): ThreadBootError {
    const { type, file } = this.settings;
    return new ThreadBootError(type, file, this.fault ?? new Error(`it ended with exit code ${exitCode}`));
  }

  private died(error: ThreadDiedError): void {
    this.settings.logger.warn({ err: error, ...(this.run && { job_id: this.run.context.jobId }) }, 'a thread died');
    this.run?.fail(error);
  }
}

/** Left to itself, Node gives the youngest objects 48 MiB more. */
function limitsOf(maxHeapMb: number): ResourceLimits {
  return { maxOldGenerationSizeMb: maxHeapMb, maxYoungGenerationSizeMb: Math.ceil(maxHeapMb / YOUNG_PART) };
}
