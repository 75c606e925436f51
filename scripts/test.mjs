// `npm test [pattern or jest option …]`: everything that the tests need, then jest.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/tests.mjs').then(({ runTests }) => runTests(process.argv.slice(2)));
