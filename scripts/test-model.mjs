// `npm run test:model [-- --runs N] [--seed S] [--path P]`: lives of the engine against its model, as many as wanted; the default is
// as in `npm test`. A failing life names the seed and the path that repeat it.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/model-tests.mjs').then(({ runModelTests }) => runModelTests(process.argv.slice(2)));
