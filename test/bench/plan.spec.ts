import { figureNames, plan } from './plan.js';
import { SIZES } from './sizes.js';

const FIGURES = [
  'enqueue.1',
  'enqueue.100',
  'enqueue.bulk',
  'drain.removed.1',
  'drain.removed.10',
  'drain.removed.100',
  'drain.removed.500',
  'drain.kept.100',
  'processes.1',
  'processes.2',
  'processes.4',
  'idle.p50',
  'idle.p99',
  'bytes.queued',
  'bytes.kept',
  'redis_us.removed',
  'redis_us.kept',
  'node_us.removed',
  'node_us.kept',
];

describe('the plan of the benchmark', () => {
  it('has every figure, with and without validation, each once', () => {
    const names = figureNames(plan(SIZES.full));
    expect(names).toEqual(expect.arrayContaining(FIGURES.flatMap((name) => [name, `${name}.validated`])));
    expect(names).toHaveLength(new Set(names).size);
  });
});
