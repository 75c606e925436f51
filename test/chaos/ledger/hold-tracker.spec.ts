import { HoldTracker } from './hold-tracker.js';

const A = { jobId: 'a', worker: '11' };

describe('the tracker of holds', () => {
  it('joins looks at the same worker to one hold, with the end of its lease as seen last', () => {
    const tracker = new HoldTracker();
    expect(tracker.see(100, new Map([['11', 900]]), new Map([['a', '11']]))).toEqual([]);
    expect(tracker.see(150, new Map([['11', 950]]), new Map([['a', '11']]))).toEqual([]);
    const over = [{ ...A, firstSeenMs: 100, lastSeenMs: 150, leaseEndMs: 950 }];
    expect(tracker.see(200, new Map([['11', 990]]), new Map())).toEqual(over);
    expect(tracker.end()).toEqual([]);
  });

  it('begins a hold anew when the job goes to another worker', () => {
    const tracker = new HoldTracker();
    tracker.see(100, new Map([['11', 120]]), new Map([['a', '11']]));
    const next = tracker.see(150, new Map([['22', 950]]), new Map([['a', '22']]));
    expect(next).toEqual([{ ...A, firstSeenMs: 100, lastSeenMs: 100, leaseEndMs: 120 }]);
    expect(tracker.end()).toEqual([{ jobId: 'a', worker: '22', firstSeenMs: 150, lastSeenMs: 150, leaseEndMs: 950 }]);
  });

  it('takes a worker without a lease for one whose lease is over', () => {
    const tracker = new HoldTracker();
    tracker.see(100, new Map(), new Map([['a', '11']]));
    expect(tracker.end()).toMatchObject([{ leaseEndMs: 0 }]);
  });
});
