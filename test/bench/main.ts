import { OptionsError, readOptions, type Options } from './options.js';
import { figureNames, plan } from './plan.js';
import { reportOf } from './report.js';
import { runRounds, type Samples } from './rounds.js';
import { settingsOf } from './settings.js';
import { SIZES } from './sizes.js';
import { Stage } from './stage.js';
import { median } from './statistics.js';
import { tableOf } from './table.js';
import { warmUps } from './warm-up.js';

/** The benchmark, beside the Redis that REDIS_URL names and that it empties again and again; `npm run bench` starts both. */

try {
  await run(readOptions(process.argv.slice(2), figureNames(plan(SIZES.full))));
} catch (error) {
  if (!(error instanceof OptionsError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}

async function run({ mode, sizes, rounds, json, isWanted, profiles }: Options): Promise<void> {
  const stage = new Stage(process.env['REDIS_URL'] ?? '', warmUps(sizes.warmUp), profiles);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void stage.close().then(() => process.exit(1)));
  try {
    const settings = settingsOf(mode, rounds, sizes, await stage.redis.version());
    const report = reportOf(settings, await runRounds(stage, plan(sizes), { rounds, isWanted }, show));
    if (json) process.stdout.write(`${JSON.stringify(report)}\n`);
    else process.stdout.write(`${JSON.stringify(settings, null, 2)}\n\n${tableOf(report)}\n`);
  } catch (error) {
    // Whoever was still asking is told that its process has gone; that is no news.
    if (!stage.closed) throw error;
  } finally {
    await stage.close();
  }
}

function show(samples: readonly Samples[]): void {
  for (const { name, unit, ours, peer } of samples) {
    const [mine, theirs] = [median(ours), median(peer)];
    process.stderr.write(
      `${name}: ${mine.toPrecision(4)} ${unit}, peer ${theirs.toPrecision(4)}, ${(mine / theirs).toFixed(2)}×\n`,
    );
  }
}
