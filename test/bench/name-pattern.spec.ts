import { namePattern } from './name-pattern.js';

describe('a pattern of figures', () => {
  it('is a name, and no name that only begins with it', () => {
    const matches = namePattern('enqueue.1');
    expect(['enqueue.1', 'enqueue.100', 'enqueue.1.validated', 'enqueue-1'].filter(matches)).toEqual(['enqueue.1']);
  });

  it('takes * for any text, and a comma list', () => {
    const matches = namePattern('drain.*,idle.p50');
    expect(['drain.kept.100', 'idle.p50', 'idle.p99', 'processes.1'].filter(matches)).toEqual(['drain.kept.100', 'idle.p50']);
  });
});
