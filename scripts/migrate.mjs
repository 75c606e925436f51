// `npm run migrate [-- --seed]`: the packages and the build, then the tables of DATABASE_URL.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/migrate.mjs').then(({ runMigrate }) => runMigrate(process.argv.slice(2)));
