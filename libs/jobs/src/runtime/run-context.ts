import { createHash } from 'node:crypto';
import { formatTraceparent } from '@antrean/platform';
import type { EnqueueOptions } from '../definition/enqueue-options.js';
import type { EnqueuedJob } from '../definition/enqueued-job.js';
import type { Checkpoint, JobContext, JobLog } from '../definition/job-context.js';
import type { JobDefinition } from '../definition/job-definition.js';
import { formatJobId } from '../definition/job-id.js';
import { TEXT_BOUNDS } from '../definition/option-bounds.js';
import type { QueueService } from '../services/queue.service.js';
import type { Claimed } from '../store/exchange.js';
import type { Gathered } from '../store/gathered.js';
import type { JobLogs } from '../telemetry/job-logs.js';
import { keptJson } from './kept-value.js';
import { progressJson } from './progress.js';
import type { RunNotes } from './run-notes.js';
import type { Run } from './run.js';
import { Steps } from './steps.js';

export interface RunContextParts {
  readonly definition: JobDefinition;
  readonly job: Claimed;
  readonly payload: object;
  readonly run: Run;
  readonly notes: RunNotes;
  /** What earlier runs left. */
  readonly gathered: Gathered;
  readonly logs: JobLogs;
  readonly queue: QueueService;
}

/** What the handler of one run is given; what it does not ask for is not made. */
export class RunContext implements JobContext {
  readonly jobId: string;
  readonly type: string;
  readonly payload: object;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly run: number;
  readonly traceId: string;
  readonly requestId: string | null;
  private madeLog: JobLog | undefined;
  private madeCheckpoint: Checkpoint | undefined;
  private madeSteps: Steps | undefined;
  private children = 0;

  constructor(private readonly parts: RunContextParts) {
    const { definition, job, payload } = parts;
    this.type = definition.type;
    this.jobId = formatJobId({ type: definition.type, ulid: job.ulid });
    this.payload = payload;
    this.attempt = job.record.attempt;
    this.maxAttempts = job.record.maxAttempts;
    this.run = job.record.runs;
    this.traceId = job.record.trace.traceId;
    this.requestId = job.record.facts.requestId ?? null;
  }

  get signal(): AbortSignal {
    return this.parts.run.signal;
  }

  get traceparent(): string {
    return formatTraceparent(this.parts.job.record.trace);
  }

  get tracestate(): string | null {
    return this.parts.job.record.facts.tracestate ?? null;
  }

  get signAs(): string | null {
    return this.parts.job.record.facts.signAs ?? null;
  }

  get log(): JobLog {
    const { logs, job, notes } = this.parts;
    this.madeLog ??= logs.of(this.type, job, notes);
    return this.madeLog;
  }

  get checkpoint(): Checkpoint {
    this.madeCheckpoint ??= checkpointOf(this.parts);
    return this.madeCheckpoint;
  }

  readonly progress = (percent: number, message?: string, data?: unknown): void => {
    this.parts.notes.progress(progressJson(percent, message, data));
  };

  readonly step = <T>(name: string, work: () => T | Promise<T>): Promise<T> => {
    const { notes, gathered } = this.parts;
    this.madeSteps ??= new Steps(notes, gathered.stepJsons);
    return this.madeSteps.run(name, work);
  };

  readonly enqueue = <P extends object>(
    definition: JobDefinition<P>,
    payload: P,
    options: EnqueueOptions = {},
  ): Promise<EnqueuedJob> => {
    const { job, queue } = this.parts;
    const { facts } = job.record;
    this.children += 1;
    return queue.enqueueOnce(definition, payload, {
      traceparent: this.traceparent,
      ...(facts.tracestate === undefined ? {} : { tracestate: facts.tracestate }),
      ...(facts.requestId === undefined ? {} : { requestId: facts.requestId }),
      ...(facts.userId === undefined ? {} : { userId: facts.userId }),
      ...options,
      // A replay is meant to do everything again.
      onceKey: childKey(`${this.jobId}:${job.record.replays}:`, options.onceKey ?? this.children),
    });
  };
}

/** No two children share one: the sign says whether a number, a key, or the hash of one that is too long follows. */
function childKey(parent: string, child: string | number): string {
  if (typeof child === 'number') return `${parent}#${child}`;
  const key = `${parent}=${child}`;
  if (key.length <= TEXT_BOUNDS.onceKey.max) return key;
  return `${parent}~${createHash('sha256').update(child).digest('hex')}`;
}

function checkpointOf({ gathered, notes }: RunContextParts): Checkpoint {
  let json = gathered.checkpointJson;
  return {
    get value(): unknown {
      return json === undefined ? undefined : (JSON.parse(json) as unknown);
    },
    async save(value: unknown): Promise<void> {
      const next = keptJson(value);
      await notes.keep('checkpoint', next);
      json = next;
    },
  };
}
