// `npm run mutants [-- --only TEXT] [--list]`: small faults, put into the Lua scripts one at a time, and the test that catches each.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/mutants.mjs').then(({ runMutants }) => runMutants(process.argv.slice(2)));
