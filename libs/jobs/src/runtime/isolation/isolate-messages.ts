import type { EnqueueOptions } from '../../definition/enqueue-options.js';
import type { Carried } from './carried.js';

/*
 * What the process and an isolate say to each other, over a port of their own. `run` numbers the jobs of an isolate, `call` what it
 * asks for; whatever bears the number of a run or call that is over is ignored. Values that become JSON anyhow cross as JSON text.
 */

/** What a job's context says that needs no asking. */
export interface IsolatedJob {
  readonly jobId: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  readonly run: number;
  readonly traceId: string;
  readonly requestId: string | null;
  readonly traceparent: string;
  readonly tracestate: string | null;
  readonly signAs: string | null;
  readonly payloadJson: string;
  readonly checkpointJson: string | undefined;
}

/** From the process to an isolate. */
export type IsolateOrder =
  | { readonly kind: 'run'; readonly run: number; readonly job: IsolatedJob }
  | { readonly kind: 'abort'; readonly run: number; readonly reason: Carried }
  | { readonly kind: 'answer'; readonly call: number; readonly value: unknown }
  | { readonly kind: 'refusal'; readonly call: number; readonly thrown: Carried }
  /** No result of this step is kept: do its work. */
  | { readonly kind: 'work'; readonly call: number }
  /** Close the application and end. */
  | { readonly kind: 'end' };

export type LogLevel = 'info' | 'warn' | 'error';
export const NEST_LEVELS = ['log', 'error', 'warn', 'debug', 'verbose', 'fatal'] as const;
export type NestLevel = (typeof NEST_LEVELS)[number];

/** What a handler asks of the process, and waits for. */
export type IsolateCall =
  | { readonly kind: 'save_checkpoint'; readonly json: string }
  | { readonly kind: 'step'; readonly name: string }
  | { readonly kind: 'enqueue'; readonly type: string; readonly payloadJson: string; readonly options: EnqueueOptions };

/** From an isolate to the process. */
export type IsolateReport =
  | { readonly kind: 'ready' }
  | { readonly kind: 'boot_failed'; readonly thrown: Carried }
  | { readonly kind: 'nest_log'; readonly level: NestLevel; readonly message: Carried; readonly rest: readonly Carried[] }
  | {
      readonly kind: 'job_log';
      readonly jobId: string;
      readonly level: LogLevel;
      readonly message: string;
      readonly fields: Carried;
    }
  | {
      readonly kind: 'progress';
      readonly run: number;
      readonly percent: number;
      readonly message: string | undefined;
      readonly dataJson: string | undefined;
    }
  | { readonly kind: 'call'; readonly run: number; readonly call: number; readonly asks: IsolateCall }
  | { readonly kind: 'worked'; readonly call: number; readonly json: string | undefined }
  | { readonly kind: 'work_threw'; readonly call: number; readonly thrown: Carried }
  /** With the result as it is kept: see result-json.ts. */
  | { readonly kind: 'returned'; readonly run: number; readonly json: string }
  | { readonly kind: 'threw'; readonly run: number; readonly thrown: Carried };

type Check = (value: unknown) => boolean;

/** For each kind of message, a check for each of its fields. */
type Shapes<M extends { readonly kind: string }> = {
  readonly [K in M['kind']]: Readonly<Record<Exclude<keyof Extract<M, { kind: K }>, 'kind'>, Check>>;
};

const isNumber: Check = (value) => typeof value === 'number';
const isText: Check = (value) => typeof value === 'string';
const isTextOrNot: Check = (value) => value === undefined || isText(value);
const isTextOrNull: Check = (value) => value === null || isText(value);
const isAnything: Check = () => true;
const isOneOf =
  (...values: readonly string[]): Check =>
  (value) =>
    values.some((known) => known === value);
// Its inside is made by carry() alone, on the same version of this library.
const isCarried: Check = (value) => isRecord(value) && isRecord(value['value']);

const CALLS: Shapes<IsolateCall> = {
  save_checkpoint: { json: isText },
  step: { name: isText },
  enqueue: { type: isText, payloadJson: isText, options: isRecord },
};

const REPORTS: Shapes<IsolateReport> = {
  ready: {},
  boot_failed: { thrown: isCarried },
  nest_log: {
    level: isOneOf(...NEST_LEVELS),
    message: isCarried,
    rest: (value) => Array.isArray(value) && value.every(isCarried),
  },
  job_log: { jobId: isText, level: isOneOf('info', 'warn', 'error'), message: isText, fields: isCarried },
  progress: { run: isNumber, percent: isNumber, message: isTextOrNot, dataJson: isTextOrNot },
  call: { run: isNumber, call: isNumber, asks: (value) => parse(CALLS, value) !== undefined },
  worked: { call: isNumber, json: isTextOrNot },
  work_threw: { call: isNumber, thrown: isCarried },
  returned: { run: isNumber, json: isText },
  threw: { run: isNumber, thrown: isCarried },
};

const JOB: { readonly [F in keyof IsolatedJob]: Check } = {
  jobId: isText,
  attempt: isNumber,
  maxAttempts: isNumber,
  run: isNumber,
  traceId: isText,
  requestId: isTextOrNull,
  traceparent: isText,
  tracestate: isTextOrNull,
  signAs: isTextOrNull,
  payloadJson: isText,
  checkpointJson: isTextOrNot,
};

const ORDERS: Shapes<IsolateOrder> = {
  run: { run: isNumber, job: (value) => isRecord(value) && fits(JOB, value) },
  abort: { run: isNumber, reason: isCarried },
  answer: { call: isNumber, value: isAnything },
  refusal: { call: isNumber, thrown: isCarried },
  work: { call: isNumber },
  end: {},
};

/** A message of an isolate; undefined when it is none. */
export function parseReport(message: unknown): IsolateReport | undefined {
  return parse(REPORTS, message);
}

/** A message of the process; undefined when it is none. */
export function parseOrder(message: unknown): IsolateOrder | undefined {
  return parse(ORDERS, message);
}

function parse<M extends { readonly kind: string }>(shapes: Shapes<M>, message: unknown): M | undefined {
  if (!isRecord(message)) return undefined;
  const { kind } = message;
  if (typeof kind !== 'string' || !Object.hasOwn(shapes, kind)) return undefined;
  // The line above says that it is one of them.
  const shape = shapes[kind as M['kind']];
  // All its fields were checked.
  return fits(shape, message) ? (message as unknown as M) : undefined;
}

function fits(shape: Readonly<Record<string, Check>>, message: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(shape).every(([field, check]) => check(message[field]));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
