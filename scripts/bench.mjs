// `npm run bench [-- --quick] [--json] [--rounds N] [--only TEXT]`: all that the benchmark needs, then the benchmark.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/bench.mjs').then(({ runBench }) => runBench(process.argv.slice(2)));
