// `npm start`: everything that Antrean needs, then the api and the worker until Ctrl-C.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/antrean.mjs').then(({ runAntrean }) => runAntrean());
