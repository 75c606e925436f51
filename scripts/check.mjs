// `npm run check`: everything that is judged without running the product, two checks at a time.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/checks.mjs').then(({ runChecks }) => runChecks());
