import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

jest.setTimeout(30_000);

/** Not the whole library, which takes a while to load. */
const fromPlatform = (file: string): string =>
  JSON.stringify(pathToFileURL(join(process.cwd(), 'dist/libs/platform/src', file)).href);

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
    // A fatal line may overtake the one before it, which is written in the background.
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
});
