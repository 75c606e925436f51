import { makeJobs, PAYLOAD_BYTES } from './job.js';

describe('the jobs of the benchmark', () => {
  it('carry payloads of the stated size, whatever their number', () => {
    const sizes = makeJobs(20_000).map(({ payload }) => JSON.stringify(payload).length);
    expect(new Set(sizes)).toEqual(new Set([PAYLOAD_BYTES]));
  });

  it('belong to a trace each', () => {
    const traces = new Set(makeJobs(100).map(({ traceparent }) => traceparent));
    expect(traces.size).toBe(100);
    for (const trace of traces) expect(trace).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-01$/);
  });
});
