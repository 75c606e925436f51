import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';
import { runScript, type ScriptEnd } from '../support/run-script.js';

// Twenty seconds on a machine that has nothing else to do; other suites run beside it.
jest.setTimeout(300_000);

const SCRIPT = join(process.cwd(), 'scripts', 'bench.mjs');
/** One of each kind of measurement; the plan's own spec sees that none is left out of a whole run. */
const FIGURES = ['enqueue.bulk', 'drain.kept.100.validated', 'idle.p50', 'idle.p99', 'bytes.queued', 'bytes.kept'];

interface Figure {
  readonly name: string;
  readonly unit: string;
  readonly ours: number;
  readonly peer: number;
  readonly ratio: number;
}

// Elsewhere there is no /proc that tells who started whom.
const onLinux = existsSync('/proc/self/status') ? it : it.skip;

describe('npm run bench', () => {
  it('prints one object with the figures that were asked for, measured on both sides', async () => {
    const { code, stdout, stderr } = await bench('--tiny', '--json', '--only', FIGURES.join());
    expect({ code, stderr }).toMatchObject({ code: 0 });
    // What it is, is looked at below.
    const report = JSON.parse(stdout) as { settings: Record<string, unknown>; figures: readonly Figure[] };
    // A measurement has further figures beside the one that was asked for.
    expect(report.figures.map(({ name }) => name)).toEqual(expect.arrayContaining(FIGURES));
    for (const figure of report.figures) {
      expect(Object.keys(figure)).toEqual(['name', 'unit', 'ours', 'peer', 'ratio']);
      for (const value of [figure.ours, figure.peer, figure.ratio]) expect(value).toBeGreaterThan(0);
      // A queued job is more than its payload.
      if (figure.unit === 'bytes') expect(figure.ours).toBeGreaterThan(200);
      expect(figure.ratio).toBeCloseTo(figure.ours / figure.peer, 1);
    }
    expect(report.settings).toMatchObject({ mode: 'tiny', rounds: 1, peer: 'bullmq 6.7.0', payloadBytes: 200 });
  });

  onLinux('leaves nothing running when it is stopped on its way (where /proc shows it)', async () => {
    const stopped = spawn(process.execPath, [SCRIPT, '--tiny', '--rounds', '10', '--only', 'enqueue.*'], {
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    await new Promise<void>((resolve, reject) => {
      stopped.once('exit', () => {
        reject(new Error('It ended by itself.'));
      });
      stopped.stderr.setEncoding('utf8').on('data', (text: string) => {
        if (text.includes('enqueue.1:')) resolve();
      });
    });
    const started = processesUnder(stopped.pid ?? 0);
    expect(started.length).toBeGreaterThan(3);
    stopped.kill('SIGINT');
    await once(stopped, 'exit');
    // Its measuring processes end when they see that it is gone.
    await eventually(() => {
      expect(started.filter(isAlive)).toEqual([]);
    });
  });

  it('says what is wrong with a figure that it does not know', async () => {
    const { code, stdout, stderr } = await bench('--only', 'enqueue.7');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('No figure is called "enqueue.7". There are: enqueue.1, enqueue.1.validated, ');
  });
});

function bench(...args: readonly string[]): Promise<ScriptEnd> {
  return runScript(SCRIPT, args);
}

/** The process and all that descend from it. */
function processesUnder(pid: number): number[] {
  const parents = new Map(
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map((name) => [Number(name), parentOf(name)]),
  );
  const under = (parent: number): number[] => [
    parent,
    ...[...parents].filter(([, itsParent]) => itsParent === parent).flatMap(([child]) => under(child)),
  ];
  return under(pid);
}

function parentOf(pid: string): number | undefined {
  try {
    return Number(/^PPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]);
  } catch {
    // It ended while it was being looked at.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
