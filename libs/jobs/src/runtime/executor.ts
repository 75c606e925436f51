import { Inject, Injectable } from '@nestjs/common';
import type { JobDefinition } from '../definition/job-definition.js';
import { formatJobId } from '../definition/job-id.js';
import { readPayload } from '../definition/payload.js';
import { exponential, retryDelayMs } from '../definition/retry-policy.js';
import { describeThrown, stackOf } from '../definition/thrown.js';
import { QueueService } from '../services/queue.service.js';
import { isRedisTrouble } from '../store/availability.js';
import type { Claimed } from '../store/exchange.js';
import { NOTHING_GATHERED, gathered, type Gathered } from '../store/gathered.js';
import { Link } from '../store/link.js';
import { jobFields } from '../telemetry/job-journal.js';
import { JobLogs } from '../telemetry/job-logs.js';
import type { RegisteredHandler } from './handler-registry.js';
import { NoteWriter } from './note-writer.js';
import { resultJson } from './result-json.js';
import { RunContext } from './run-context.js';
import { failed, handedBack, neverBegan, succeeded } from './run-ends.js';
import { RunNotes } from './run-notes.js';
import type { Run, RunEnd } from './run.js';
import { RunClock, THREAD_WAIT_MS } from './time-limits.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

/** How long a job stays away whose earlier runs' notes cannot be had. */
const AWAY_DELAY_MS = 200;
const UNREADABLE_DELAY_MS = 1_000;
/** How long a job stays away from a worker that had no thread for it. */
const NO_THREAD_DELAY_MS = 1_000;

/** A run in hand. */
export interface Execution {
  /** What to settle; past the hard limit it does not wait for the handler. Never rejects. */
  readonly end: Promise<RunEnd>;
  /** The handler has really ended; never rejects. */
  readonly gone: Promise<void>;
}

interface Limits {
  readonly clock: RunClock;
  /** The run is about to ask for a thread. */
  readonly waitForThread: () => void;
}

/** Runs one claimed job: payload, handler, time limits, and what its end means. */
@Injectable()
export class Executor {
  constructor(
    private readonly link: Link,
    private readonly logs: JobLogs,
    private readonly queue: QueueService,
    private readonly writer: NoteWriter,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  execute(registered: RegisteredHandler, job: Claimed, run: Run): Execution {
    const { definition, threads } = registered;
    const notes = new RunNotes(definition.type, job, this.writer, () => {
      run.abort('lease_lost');
    });
    let settle: (end: RunEnd) => void = () => undefined;
    const end = new Promise<RunEnd>((resolve) => {
      settle = resolve;
    });
    const clock = new RunClock({
      timeoutMs: job.record.timeoutMs,
      graceMs: definition.graceMs,
      soft: () => {
        run.abort('timed_out');
      },
      hard: () => {
        notes.close();
        settle({ ...this.failure(definition, job, run, run.signal.reason), pastHardLimit: true });
        threads?.terminate(formatJobId({ type: definition.type, ulid: job.ulid }));
      },
    });
    const waitForThread = (): void => {
      clock.wait(THREAD_WAIT_MS, () => {
        this.options.logger.warn(jobFields(definition.type, job), 'no thread was to be had for a job, it goes back');
        settle(neverBegan(NO_THREAD_DELAY_MS));
        // It leaves the line for a thread.
        run.abort('lease_lost');
      });
    };
    if (threads === undefined) clock.begin();
    const gone = this.work(registered, job, run, notes, { clock, waitForThread }).then(settle);
    return { end, gone };
  }

  private async work(registered: RegisteredHandler, job: Claimed, run: Run, notes: RunNotes, limits: Limits): Promise<RunEnd> {
    const { definition, handler, threads } = registered;
    const { clock, waitForThread } = limits;
    let end: RunEnd;
    try {
      const left = job.record.hasExtra ? await this.gather(definition.type, job) : NOTHING_GATHERED;
      // What earlier runs left is out of reach: this one cannot go on from there.
      if ('retryInMs' in left) return handedBack(run, left.retryInMs);
      const { payloadJson, payloadVersion: version, fingerprint } = job.record;
      const payload = readPayload(definition, { json: payloadJson, version, fingerprint });
      const { logs, queue } = this;
      const context = new RunContext({ definition, job, payload, run, notes, gathered: left, logs, queue });
      const begin = (): void => {
        clock.begin();
      };
      if (threads !== undefined) waitForThread();
      const result = await (threads === undefined ? handler.handle(context) : threads.handle(context, begin));
      end = succeeded(run, resultJson(result));
    } catch (thrown) {
      end = this.failure(definition, job, run, thrown);
    } finally {
      clock.stop();
    }
    if (!notes.empty) await this.writer.flush(notes);
    notes.close();
    return end;
  }

  private async gather(type: string, job: Claimed): Promise<Gathered | { readonly retryInMs: number }> {
    try {
      return await gathered(this.link, type, job.ulid);
    } catch (error) {
      if (isRedisTrouble(error)) return { retryInMs: AWAY_DELAY_MS };
      this.options.logger.error(
        { ...jobFields(type, job), err: error },
        'what earlier runs left cannot be read, the job goes back',
      );
      return { retryInMs: UNREADABLE_DELAY_MS };
    }
  }

  /** As {@link failed}; when that trips over a definition, the job is tried again all the same. */
  private failure(definition: JobDefinition, job: Claimed, run: Run, thrown: unknown): RunEnd {
    try {
      return failed(definition, job, run, thrown);
    } catch (fault) {
      const { type } = definition;
      this.options.logger.error({ ...jobFields(type, job), err: fault }, 'a failure cannot be judged, the job is tried again');
      const error = describeThrown(thrown);
      const delayMs = retryDelayMs(exponential(), job.record.attempt, thrown);
      return {
        settlement: { event: 'retry', outcome: 'failed', delayMs, json: JSON.stringify(error) },
        report: { outcome: 'failed', seconds: run.seconds, error, stack: stackOf(thrown) },
      };
    }
  }
}
