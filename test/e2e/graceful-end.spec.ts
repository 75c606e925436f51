import { spawn, spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { spawn as spawnOnTerminal } from '@lydell/node-pty';
import { eventually } from '../support/eventually.js';

jest.setTimeout(30_000);

/** Not the whole library, which takes a while to load. */
const fromPlatform = (file: string): string =>
  JSON.stringify(pathToFileURL(join(process.cwd(), 'dist/libs/platform/src', file)).href);

/** A process that logs more than a pipe or a terminal holds, and says on standard error that its event loop goes on. */
function chatty(format: 'json' | 'pretty', happens: string): string[] {
  const program = `
    import { endGracefully } from ${fromPlatform('lifecycle/end-gracefully.js')};
    import { createLogger } from ${fromPlatform('logging/logger.js')};
    const logger = createLogger({ app: 'api', level: 'info', format: '${format}' });
    endGracefully({ close: async () => undefined }, logger);
    setInterval(() => undefined, 1_000);
    for (let n = 0; n < 5_000; n += 1) logger.info({ n }, 'x'.repeat(100));
    setTimeout(() => console.error('up'), 300);
    ${happens}`;
  return ['--input-type=module', '--eval', program];
}

/** A process whose application takes `closing` to close, and to which `happens` happens once it is up. */
function run(happens: string, closing = "process.stdout.write('closed\\n')"): SpawnSyncReturns<string> {
  const program = `
    import { endGracefully } from ${fromPlatform('lifecycle/end-gracefully.js')};
    import { createLogger } from ${fromPlatform('logging/logger.js')};
    const app = { close: async () => { ${closing} } };
    endGracefully(app, createLogger({ app: 'api', level: 'info', format: 'json' }));
    setInterval(() => undefined, 1_000);
    ${happens}`;
  return spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8', timeout: 20_000 });
}

describe('a process that ends gracefully', () => {
  it.each([
    ['an error', "setImmediate(() => { throw new Error('boom'); });", 'uncaughtException'],
    ['a rejection', "void Promise.reject(new Error('boom'));", 'unhandledRejection'],
  ])('logs %s that nobody caught, closes its application and exits with 1', (_what, happens, origin) => {
    const { status, stdout } = run(happens);
    // Two writers share the pipe, and either may come first.
    const [closed, line = '', ...rest] = stdout.trimEnd().split('\n').toSorted();
    expect(JSON.parse(line)).toMatchObject({ level: 'fatal', origin, err: { name: 'Error', message: 'boom' } });
    expect([closed, ...rest]).toEqual(['closed']);
    expect(status).toBe(1);
  });

  it('lets a close that has begun go on when more errors follow, and exits with 1', () => {
    const later = "setTimeout(() => { throw new Error('second'); }, 50);";
    const { status, stdout } = run(
      `process.kill(process.pid, 'SIGTERM'); ${later}`,
      "await new Promise((resolve) => setTimeout(resolve, 200)); process.stdout.write('closed\\n')",
    );
    expect(stdout).toContain('second');
    expect(stdout.trimEnd().split('\n').at(-1)).toBe('closed');
    expect(status).toBe(1);
  });

  it('says so and exits with 1 when closing fails', () => {
    const { status, stdout } = run("process.kill(process.pid, 'SIGTERM');", "throw new Error('stuck')");
    const lines = stdout.trimEnd().split('\n');
    expect(lines.map((line): unknown => JSON.parse(line))).toContainEqual(
      expect.objectContaining({
        level: 'fatal',
        msg: 'closing the application failed',
        err: expect.objectContaining({ message: 'stuck' }) as unknown,
      }),
    );
    expect(status).toBe(1);
  });

  it('closes once and exits with 0 at a signal', () => {
    const { status, stdout } = run("process.kill(process.pid, 'SIGINT');");
    expect(stdout.match(/closed/g)).toHaveLength(1);
    expect(status).toBe(0);
  });

  it.each(['json', 'pretty'] as const)('ends at a signal though nobody reads its %s log', async (format) => {
    const child = spawn(process.execPath, chatty(format, ''), {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: 10_000,
      killSignal: 'SIGKILL',
    });
    await once(child.stderr, 'data');
    child.kill('SIGTERM');
    // Of stdout nothing is read, so that only `exit` tells of the end.
    const [code] = (await once(child, 'exit')) as [number | null];
    child.stdout.destroy();
    expect(code).toBe(0);
  });

  it.each(['json', 'pretty'] as const)('goes on and ends on a terminal that shows nothing of its %s log', async (format) => {
    const folder = mkdtempSync(join(tmpdir(), 'antrean-terminal-'));
    const program = chatty(format, "setTimeout(() => process.kill(process.pid, 'SIGTERM'), 600);");
    const command = [process.execPath, ...program].map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ');
    const pty = spawnOnTerminal('sh', ['-c', `${command} 2> errors; echo $? > ended`], { cwd: folder });
    pty.pause();
    try {
      await eventually(() => {
        expect(readFileSync(join(folder, 'ended'), 'utf8')).toBe('0\n');
      }, 10_000);
      expect(readFileSync(join(folder, 'errors'), 'utf8')).toBe('up\n');
    } finally {
      pty.kill('SIGKILL');
      pty.resume();
      rmSync(folder, { recursive: true });
    }
  });

  it.each(['json', 'pretty'] as const)('gives its reader all lines of a %s log, the last ones too', (format) => {
    const happens = "logger.fatal({ n: 5_000 }, 'last'); process.exit(3);";
    const { status, stdout } = spawnSync(process.execPath, chatty(format, happens), { encoding: 'utf8', timeout: 20_000 });
    const lines = stdout.trimEnd().split('\n');
    expect(lines).toHaveLength(5_001);
    expect(lines.at(-1)).toMatch(/5000/);
    expect(status).toBe(3);
  });
});
