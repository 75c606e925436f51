import { randomBytes } from 'node:crypto';
import { plainToInstance } from 'class-transformer';
import type { JobContext, JobDefinition, JobLog, PayloadOf } from '@antrean/jobs';
import { ulid } from 'ulid';

/** What a handler wrote to its log. */
export interface LogLine {
  readonly level: 'info' | 'warn' | 'error';
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export type TestContext<D extends JobDefinition> = JobContext<D> & { readonly lines: readonly LogLine[] };

/** The fields of a definition's payload, before they are an instance of its class. */
export type PlainPayload<D extends JobDefinition> = { readonly [K in keyof PayloadOf<D>]: PayloadOf<D>[K] };

/** A payload as the engine hands it to a handler, but not checked. */
export function payloadOf<D extends JobDefinition>(definition: D, fields: PlainPayload<D>): PayloadOf<D> {
  return plainToInstance(definition.payload, fields) as PayloadOf<D>; // It is made from that class.
}

/** A context as the engine hands it to a handler, for tests that call the handler themselves. */
export function jobContext<D extends JobDefinition>(
  definition: D,
  payload: PlainPayload<D>,
  options: Partial<
    Pick<JobContext<D>, 'jobId' | 'signal' | 'attempt' | 'run' | 'signAs' | 'tracestate' | 'progress' | 'checkpoint'>
  > = {},
): TestContext<D> {
  const lines: LogLine[] = [];
  const write =
    (level: LogLine['level']) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}) => {
      lines.push({ level, message, fields });
    };
  const traceId = randomBytes(16).toString('hex');
  const log: JobLog = { info: write('info'), warn: write('warn'), error: write('error') };
  return {
    jobId: `${definition.type}_${ulid()}`,
    type: definition.type,
    payload: payloadOf(definition, payload),
    attempt: 1,
    maxAttempts: definition.maxAttempts,
    run: 1,
    signal: new AbortController().signal,
    traceId,
    requestId: null,
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    tracestate: null,
    signAs: null,
    log,
    lines,
    progress: () => undefined,
    checkpoint: { value: undefined, save: () => Promise.resolve() },
    step: async (_name, work) => work(),
    enqueue: () => Promise.reject(new Error('This context submits nothing.')),
    ...options,
  };
}
