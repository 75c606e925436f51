import { join } from 'node:path';
import { ALL_HELD } from '../chaos/report.js';
import { runScript, type ScriptEnd } from '../support/run-script.js';

// Ninety seconds of faults, and what it takes for the last jobs to end; other suites run beside it.
jest.setTimeout(400_000);

const SCRIPT = join(process.cwd(), 'scripts', 'chaos.mjs');

interface Line {
  readonly accepted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly webhooks: number;
  readonly recovery_at_kill_ms: { readonly count: number };
  readonly faults: Readonly<Record<string, unknown>>;
}

describe('npm run chaos', () => {
  it('loses no job and no webhook, buries none wrongly and runs none twice under a live lease, whatever breaks', async () => {
    const { code, stdout, stderr } = await campaign('--minutes', '1.5', '--seed', '1');
    expect({ code, stderr: code === 0 ? '' : stderr, stdout: code === 0 ? '' : stdout }).toEqual({
      code: 0,
      stderr: '',
      stdout: '',
    });
    // What it is, is looked at below.
    const line = JSON.parse(stdout) as Line;
    expect(line).toMatchObject({
      seed: 1,
      mode: 'always',
      ...ALL_HELD,
    });
    expect(line.succeeded + line.failed).toBe(line.accepted);
    expect(line.accepted).toBeGreaterThan(1_000);
    expect(line.webhooks).toBeGreaterThan(100);
    // Two of four workers die with the crowd.
    expect(line.recovery_at_kill_ms.count).toBeGreaterThan(50);
    expect(Object.keys(line.faults)).toHaveLength(10);
  });

  it('says what is wrong with what it is asked for', async () => {
    const { code, stdout, stderr } = await chaos('--mode', 'sometimes');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('--mode is "sometimes", it must be one of always, everysec, none.');
  });
});

/** Where no clock can be set, without that fault. */
async function campaign(...args: readonly string[]): Promise<ScriptEnd> {
  const end = await chaos(...args);
  return end.stderr.includes('--without clock') ? chaos(...args, '--without', 'clock') : end;
}

function chaos(...args: readonly string[]): Promise<ScriptEnd> {
  return runScript(SCRIPT, args);
}
