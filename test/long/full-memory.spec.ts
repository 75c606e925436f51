import { goThroughFullMemory } from '../support/full-memory.js';

jest.setTimeout(300_000);

describe('a Redis whose memory is full for a minute', () => {
  it('refuses submits, and that is all: jobs run, settle and start, no crash is counted, and nothing is buried', async () => {
    const refused = await goThroughFullMemory({ fullMs: 60_000, leaseMs: 10_000 });
    process.stdout.write(`full-memory: ${refused} submits were refused meanwhile\n`);
    expect(refused).toBeGreaterThan(10);
  });
});
