import { Injectable } from '@nestjs/common';
import { formatJobId } from '../definition/job-id.js';
import { readPayload } from '../definition/payload.js';
import { QueueService } from '../services/queue.service.js';
import type { Claimed } from '../store/exchange.js';
import { NOTHING_GATHERED, gathered, type Gathered } from '../store/gathered.js';
import { Link } from '../store/link.js';
import { JobLogs } from '../telemetry/job-logs.js';
import type { RegisteredHandler } from './handler-registry.js';
import { NoteWriter } from './note-writer.js';
import { resultJson } from './result-json.js';
import { RunContext } from './run-context.js';
import { failed, handedBack, succeeded } from './run-ends.js';
import { RunNotes } from './run-notes.js';
import type { Run, RunEnd } from './run.js';
import { watchTime } from './time-limits.js';

/** A run in hand. */
export interface Execution {
  /** What to settle; past the hard limit it does not wait for the handler. Never rejects. */
  readonly end: Promise<RunEnd>;
  /** The handler has really ended; never rejects. */
  readonly gone: Promise<void>;
}

/** Runs one claimed job: payload, handler, time limits, and what its end means. */
@Injectable()
export class Executor {
  constructor(
    private readonly link: Link,
    private readonly logs: JobLogs,
    private readonly queue: QueueService,
    private readonly writer: NoteWriter,
  ) {}

  execute(registered: RegisteredHandler, job: Claimed, run: Run): Execution {
    const { definition } = registered;
    const notes = new RunNotes(definition.type, job, this.writer, () => {
      run.abort('lease_lost');
    });
    let settle: (end: RunEnd) => void = () => undefined;
    const end = new Promise<RunEnd>((resolve) => {
      settle = resolve;
    });
    const clearLimits = watchTime({
      timeoutMs: job.record.timeoutMs,
      graceMs: definition.graceMs,
      soft: () => {
        run.abort('timed_out');
      },
      hard: () => {
        notes.close();
        settle({ ...failed(definition, job, run, run.signal.reason), pastHardLimit: true });
        registered.terminate?.(formatJobId({ type: definition.type, ulid: job.ulid }));
      },
    });
    const gone = this.work(registered, job, run, notes, clearLimits).then(settle);
    return { end, gone };
  }

  private async work(
    registered: RegisteredHandler,
    job: Claimed,
    run: Run,
    notes: RunNotes,
    clearLimits: () => void,
  ): Promise<RunEnd> {
    const { definition, handler } = registered;
    let end: RunEnd;
    try {
      const left = job.record.hasExtra ? await this.gather(definition.type, job) : NOTHING_GATHERED;
      // What earlier runs left is out of reach: this one cannot go on from there.
      if (left === undefined) return handedBack(run);
      const { payloadJson, payloadVersion: version, fingerprint } = job.record;
      const payload = readPayload(definition, { json: payloadJson, version, fingerprint });
      const { logs, queue } = this;
      const result = await handler.handle(new RunContext({ definition, job, payload, run, notes, gathered: left, logs, queue }));
      end = succeeded(run, resultJson(result));
    } catch (thrown) {
      end = failed(definition, job, run, thrown);
    } finally {
      clearLimits();
    }
    if (!notes.empty) await this.writer.flush(notes);
    notes.close();
    return end;
  }

  private async gather(type: string, job: Claimed): Promise<Gathered | undefined> {
    try {
      return await gathered(this.link, type, job.ulid);
    } catch {
      return undefined;
    }
  }
}
