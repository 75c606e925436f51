import { reportOf } from './report.js';
import type { Samples } from './rounds.js';
import { tableOf } from './table.js';

const rate: Samples = {
  name: 'enqueue.1',
  unit: 'jobs/s',
  setting: '10 jobs',
  bareSetting: 'LPUSH',
  ours: [2_000, 3_000, 2_500],
  peer: [1_000, 900, 1_100],
  bare: [5_000, 6_000, 7_000],
};
const lag: Samples = {
  name: 'idle.p50',
  unit: 'ms',
  setting: '5 jobs',
  bareSetting: undefined,
  ours: [0.123456],
  peer: [0.987654],
  bare: [],
};

describe('the report of the benchmark', () => {
  const report = reportOf({ rounds: 3 }, [rate, lag]);

  it('gives each figure as medians and what ours is to the peer, and no more', () => {
    expect(report.figures).toEqual([
      { name: 'enqueue.1', unit: 'jobs/s', ours: 2_500, peer: 1_000, ratio: 2.5 },
      { name: 'idle.p50', unit: 'ms', ours: 0.1235, peer: 0.9877, ratio: 0.125 },
    ]);
  });

  it('says among the settings how each figure is to be read', () => {
    expect(report.settings).toEqual({
      rounds: 3,
      figures: {
        'enqueue.1': {
          better: 'higher',
          setting: '10 jobs',
          spread: { ours: { lowest: 2_000, highest: 3_000 }, peer: { lowest: 900, highest: 1_100 } },
          bare: { setting: 'LPUSH', median: 6_000, spread: { lowest: 5_000, highest: 7_000 } },
        },
        'idle.p50': {
          better: 'lower',
          setting: '5 jobs',
          spread: { ours: { lowest: 0.1235, highest: 0.1235 }, peer: { lowest: 0.9877, highest: 0.9877 } },
        },
      },
    });
  });

  it('is a table for people, a line a figure', () => {
    const [head = '', ...lines] = tableOf(report).split('\n');
    expect(head).toMatch(/^figure +unit +Antrean +lowest–highest +BullMQ +lowest–highest +ratio +bare Redis$/);
    expect(lines).toEqual([
      expect.stringMatching(/^enqueue\.1 +jobs\/s +2,500 +2,000–3,000 +1,000 +900–1,100 +2\.50× +6,000 LPUSH$/),
      expect.stringMatching(/^idle\.p50 +ms +0\.124 +0\.124–0\.124 +0\.988 +0\.988–0\.988 +0\.13× +\(less is better\)$/),
    ]);
  });
});
