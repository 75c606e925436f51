import fc from 'fast-check';
import { carry } from './carry.js';
import { parseOrder, parseReport, type IsolateOrder, type IsolateReport } from './isolate-messages.js';

const thrown = carry(new Error('x'));

const ORDERS: readonly IsolateOrder[] = [
  {
    kind: 'run',
    run: 1,
    job: {
      jobId: 'one.run_1',
      attempt: 1,
      maxAttempts: 5,
      run: 1,
      traceId: 't',
      requestId: null,
      traceparent: '00-t-p-00',
      tracestate: null,
      signAs: 'shop',
      payloadJson: '{}',
      checkpointJson: undefined,
    },
  },
  { kind: 'abort', run: 1, reason: thrown },
  { kind: 'answer', call: 1, value: undefined },
  { kind: 'refusal', call: 1, thrown },
  { kind: 'work', call: 1 },
  { kind: 'end' },
];

const REPORTS: readonly IsolateReport[] = [
  { kind: 'ready' },
  { kind: 'boot_failed', thrown },
  { kind: 'nest_log', level: 'warn', message: carry('x'), rest: [carry('X')] },
  { kind: 'job_log', jobId: 'one.run_1', level: 'info', message: 'x', fields: carry({}) },
  { kind: 'progress', run: 1, percent: 5, message: undefined, dataJson: '{}' },
  { kind: 'call', run: 1, call: 1, asks: { kind: 'save_checkpoint', json: 'null' } },
  { kind: 'call', run: 1, call: 1, asks: { kind: 'step', name: 'x' } },
  { kind: 'call', run: 1, call: 1, asks: { kind: 'enqueue', type: 'one.run', payloadJson: '{}', options: {} } },
  { kind: 'worked', call: 1, json: '1' },
  { kind: 'work_threw', call: 1, thrown },
  { kind: 'returned', run: 1, json: '' },
  { kind: 'threw', run: 1, thrown },
];

describe.each([
  ['orders to a thread', parseOrder, ORDERS],
  ['reports of a thread', parseReport, REPORTS],
] as const)('%s', (_what, parse, messages) => {
  it.each(messages.map((message) => [message.kind, message] as const))('are read as they were sent: %s', (_kind, message) => {
    expect(parse(structuredClone(message))).toEqual(message);
  });

  it('are refused when a field is of another kind', () => {
    for (const message of messages) {
      const required = Object.entries(message).filter(([field, value]) => field !== 'kind' && value !== undefined);
      // Anything may be answered.
      for (const [field] of required.filter(() => message.kind !== 'answer')) {
        expect(parse({ ...message, [field]: Symbol('none of ours') })).toBeUndefined();
      }
    }
  });

  it('are none of anything else', () => {
    for (const other of [undefined, null, 'ready', 5, [], {}, { kind: 'constructor' }, { kind: 5 }, { kind: 'no_such' }]) {
      expect(parse(other)).toBeUndefined();
    }
    fc.assert(
      fc.property(fc.anything(), (other) => {
        expect(parse(other)).toBeUndefined();
      }),
    );
  });
});
