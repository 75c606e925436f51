/** See docs/benchmarks.md for how it was chosen. */
export const PEER_AUTO_PIPELINING = process.env['BENCH_PEER_AUTO_PIPELINING'] === '1';
