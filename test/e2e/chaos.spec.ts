import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

// Ninety seconds of faults, and what it takes for the last jobs to end; other suites run beside it.
jest.setTimeout(400_000);

const SCRIPT = join(process.cwd(), 'scripts', 'chaos.mjs');

interface Line {
  readonly accepted: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly recovery_ms: { readonly count: number };
  readonly faults: Readonly<Record<string, unknown>>;
}

describe('npm run chaos', () => {
  it('loses no job, buries none wrongly and runs none twice under a live lease, whatever breaks', async () => {
    const { code, stdout, stderr } = await chaos('--minutes', '1.5', '--seed', '1');
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
      lost: 0,
      overlapping_runs: 0,
      wrongly_buried: 0,
      wrong_outcomes: 0,
      doubled: 0,
    });
    expect(line.succeeded + line.failed).toBe(line.accepted);
    expect(line.accepted).toBeGreaterThan(1_000);
    expect(line.recovery_ms.count).toBeGreaterThan(0);
    expect(Object.keys(line.faults)).toHaveLength(10);
  });

  it('says what is wrong with what it is asked for', async () => {
    const { code, stdout, stderr } = await chaos('--mode', 'sometimes');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('--mode is "sometimes", it must be one of always, everysec, none.');
  });
});

async function chaos(...args: readonly string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [SCRIPT, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}
