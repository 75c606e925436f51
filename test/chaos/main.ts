import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCampaign } from './campaign.js';
import { FAULT_KINDS } from './fault-plan.js';
import { exitCodeOf, judge } from './judge/judge.js';
import { OptionsError, readOptions, type Options } from './options.js';
import { Progress } from './progress.js';
import { complaintsOf, reportOf } from './report.js';
import { sizesFor } from './sizes.js';
import { Stage } from './stage/stage.js';

/**
 * The fault campaign. REDIS_SERVER names the program to run, FAKETIME the library that sets clocks, if there is one; `npm run chaos` sets both.
 */

try {
  await run(readOptions(process.argv.slice(2), randomInt(2 ** 32)));
} catch (error) {
  if (!(error instanceof OptionsError)) throw error;
  say(error.message);
  process.exitCode = 1;
}

async function run(options: Options): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'antrean-chaos-'));
  const faketime = process.env['FAKETIME'];
  const kinds = FAULT_KINDS.filter((kind) => kind !== 'clock' || faketime !== undefined);
  const settings = { ...options, sizes: sizesFor(options.minutes), folder, faketime };
  const progress = new Progress(say);
  const stage = await Stage.build(settings);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort();
      void stage.close().then(() => process.exit(1));
    });
  }
  try {
    say(`seed ${options.seed}, ${options.minutes} min, mode ${options.mode}; logs in ${folder}`);
    const { evidence, runningAtKill } = await Promise.race([runCampaign(stage, settings, kinds, progress), stage.failure]);
    const verdict = judge(evidence, kinds);
    for (const complaint of complaintsOf(verdict)) say(complaint);
    process.stdout.write(`${reportOf({ ...options, leaseMs: settings.sizes.leaseMs, runningAtKill }, verdict)}\n`);
    process.exitCode = exitCodeOf(verdict);
  } catch (error) {
    // Whoever was still at work is cut off; that is no news.
    if (!stop.signal.aborted) throw error;
  } finally {
    if (!stop.signal.aborted) await stage.close();
  }
  if (process.exitCode === 0) rmSync(folder, { recursive: true, force: true });
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
