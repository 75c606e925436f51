import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCampaign } from './campaign.js';
import { exitCodeOf, judge } from './judge/judge.js';
import { FaultNotAvailableError, OptionsError, readOptions, requireFaketime, type Options } from './options.js';
import { Progress } from './progress.js';
import { complaintsOf, reportOf, soakReportOf, someOf } from './report.js';
import { sizesFor } from './sizes.js';
import { runSoak } from './soak/soak.js';
import { Stage, type StageSettings } from './stage/stage.js';

/**
 * The fault campaign. REDIS_SERVER names the program to run, FAKETIME the library that sets clocks, if there is one; `npm run chaos` sets both.
 */

try {
  await run(readOptions(process.argv.slice(2), randomInt(2 ** 32)));
} catch (error) {
  if (!(error instanceof OptionsError) && !(error instanceof FaultNotAvailableError)) throw error;
  say(error.message);
  process.exitCode = error instanceof OptionsError ? 1 : 2;
}

async function run(options: Options): Promise<void> {
  const faketime = process.env['FAKETIME'];
  requireFaketime(options, faketime);
  const folder = mkdtempSync(join(tmpdir(), 'antrean-chaos-'));
  const settings = { ...options, sizes: sizesFor(options), folder, faketime };
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
    const end = options.soak ? soak(stage, settings, progress) : campaign(stage, settings, progress);
    process.exitCode = await Promise.race([end, stage.failure]);
  } catch (error) {
    // Whoever was still at work is cut off; that is no news.
    if (!stop.signal.aborted) throw error;
  } finally {
    if (!stop.signal.aborted) await stage.close();
  }
  if (process.exitCode === 0) rmSync(folder, { recursive: true, force: true });
}

/** Resolves to the exit code. */
async function campaign(stage: Stage, settings: StageSettings, progress: Progress): Promise<number> {
  const { kinds } = settings;
  const { evidence, crowdKill } = await runCampaign(stage, settings, kinds, progress);
  const verdict = judge(evidence, kinds);
  for (const complaint of complaintsOf(verdict)) say(complaint);
  tellResult(reportOf({ ...settings, leaseMs: settings.sizes.leaseMs, crowdKill }, verdict));
  return exitCodeOf(verdict);
}

/** Resolves to the exit code. */
async function soak(stage: Stage, settings: StageSettings, progress: Progress): Promise<number> {
  const outcome = await runSoak(stage, settings, progress);
  if (outcome.unexplained.length > 0) say(`keys that nothing accounts for: ${someOf(outcome.unexplained)}`);
  tellResult(soakReportOf(settings, outcome));
  return outcome.isFlat ? 0 : 1;
}

function tellResult(line: string): void {
  process.stdout.write(`${line}\n`);
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
