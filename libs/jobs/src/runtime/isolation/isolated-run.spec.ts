import { JobCatalog } from '../../definition/job-catalog.js';
import type { JobContext } from '../../definition/job-context.js';
import { carry } from './carry.js';
import type { IsolateOrder } from './isolate-messages.js';
import { IsolatedRun } from './isolated-run.js';

/** A run whose context writes down what is done with it. */
function newRun() {
  const acts: string[] = [];
  const ends: unknown[] = [];
  const orders: IsolateOrder[] = [];
  const log = (message: string): void => {
    acts.push(`log ${message}`);
  };
  const context: JobContext = {
    jobId: 'one.run_1',
    type: 'one.run',
    payload: { a: 1 },
    attempt: 1,
    maxAttempts: 5,
    run: 1,
    signal: new AbortController().signal,
    traceId: 't',
    requestId: null,
    traceparent: '00-t-p-00',
    tracestate: null,
    signAs: null,
    log: { info: log, warn: log, error: log },
    progress: (percent) => {
      if (percent > 100) throw new Error('refused');
      acts.push(`progress ${percent}`);
    },
    checkpoint: {
      value: { at: 1 },
      save: () => {
        acts.push('save');
        return Promise.resolve();
      },
    },
    step: async (name, work) => {
      acts.push(`step ${name}`);
      return work();
    },
    enqueue: () => Promise.reject(new Error('not here')),
  };
  const run = new IsolatedRun(context, new JobCatalog([]), {
    resolve: (result) => ends.push({ result }),
    reject: (error) => ends.push({ error }),
  });
  const say = (order: IsolateOrder): void => {
    orders.push(order);
  };
  return { run, say, acts, ends, orders };
}

describe('a run in an isolate', () => {
  it('sends payload and checkpoint as JSON', () => {
    expect(newRun().run.job).toMatchObject({ payloadJson: '{"a":1}', checkpointJson: '{"at":1}' });
  });

  it('ends once, with what came first', () => {
    const { run, say, ends } = newRun();
    run.hear({ kind: 'returned', run: 1, json: '5' }, say);
    run.fail(new Error('too late'));
    run.hear({ kind: 'threw', run: 1, thrown: carry('too late') }, say);
    expect(ends).toEqual([{ result: 5 }]);
  });

  it('does nothing more in its job’s name once it was ended, but for the log', () => {
    const { run, say, acts, ends } = newRun();
    const error = new Error('ended');
    run.fail(error);
    run.hear({ kind: 'progress', run: 1, percent: 5, message: undefined, dataJson: undefined }, say);
    run.hear({ kind: 'call', run: 1, call: 1, asks: { kind: 'save_checkpoint', json: '1' } }, say);
    run.hear({ kind: 'returned', run: 1, json: '' }, say);
    run.hear({ kind: 'job_log', jobId: 'one.run_1', level: 'info', message: 'last words', fields: carry({}) }, say);
    expect(acts).toEqual(['log last words']);
    expect(ends).toEqual([{ error }]);
  });

  it('logs progress that is refused here, since nobody waits for it', () => {
    const { run, say, acts, ends } = newRun();
    run.hear({ kind: 'progress', run: 1, percent: 101, message: undefined, dataJson: undefined }, say);
    expect(acts).toEqual(['log progress was refused']);
    expect(ends).toEqual([]);
  });

  it('leaves no step waiting for work that will never be done', async () => {
    const { run, say, orders } = newRun();
    run.hear({ kind: 'call', run: 1, call: 7, asks: { kind: 'step', name: 'sum' } }, say);
    expect(orders).toEqual([{ kind: 'work', call: 7 }]);
    run.fail(new Error('the thread died'));
    await new Promise(setImmediate);
    expect(orders[1]).toMatchObject({ kind: 'refusal', call: 7 });
  });
});
