import { goThroughFullMemory } from '../support/full-memory.js';

jest.setTimeout(120_000);

describe('a Redis whose memory is full for three leases', () => {
  it('refuses submits, and that is all: jobs run, settle and start, no crash is counted, and nothing is buried', async () => {
    expect(await goThroughFullMemory({ fullMs: 6_000, leaseMs: 2_000 })).toBeGreaterThan(1);
  });
});
