// `npm run chaos [-- --seed N] [--minutes N] [--mode always|everysec|none] [--without KIND] [--soak]`: all that the fault campaign needs, then the campaign.
import { nodeFits } from './setup/node-version.mjs';

// Loaded only now: an old Node could not even read the rest.
if (nodeFits()) void import('./run/chaos.mjs').then(({ runChaos }) => runChaos(process.argv.slice(2)));
