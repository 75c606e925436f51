import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { Terminal } from './terminal.js';

interface User {
  readonly uid: number;
  readonly gid: number;
}

/**
 * What a stranger has after `git clone`: the commit this working tree is at, nothing installed, in the hands of a user
 * without rights (when the tests run as root), with a home of its own and no Redis on PATH.
 * npm's cache is a copy of the one of who runs the tests, so that packages are not fetched once more.
 */
export class FreshClone {
  readonly folder: string;

  private constructor(
    private readonly place: string,
    private readonly user: User | undefined,
    private readonly env: NodeJS.ProcessEnv,
  ) {
    this.folder = join(place, 'antrean');
  }

  static make(): FreshClone {
    const place = realpathSync(mkdtempSync(join(tmpdir(), 'antrean-clone-')));
    for (const folder of ['home', 'npm', 'bin']) mkdirSync(join(place, folder));
    execFileSync('git', ['clone', '--quiet', process.cwd(), join(place, 'antrean')]);
    const [cache = '', registry = ''] = ['cache', 'registry'].map((key) => npmSetting(key));
    if (existsSync(join(cache, '_cacache'))) execFileSync('cp', ['-r', join(cache, '_cacache'), join(place, 'npm')]);
    linkProgramsBut(/^(redis|valkey)-server$/, join(place, 'bin'));
    const user = process.getuid?.() === 0 ? nobody() : undefined;
    if (user !== undefined) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, place]);
    return new FreshClone(place, user, {
      ...foreignEnv(),
      HOME: join(place, 'home'),
      PATH: join(place, 'bin'),
      npm_config_cache: join(place, 'npm'),
      npm_config_registry: registry,
    });
  }

  /** Runs a command there, on a terminal of its own. */
  open(command: string, args: string[], env: NodeJS.ProcessEnv = {}): Terminal {
    return new Terminal(join(this.place, 'bin', command), args, { cwd: this.folder, env: { ...this.env, ...env }, ...this.user });
  }

  /** What runs there, by process id. */
  processes(): ReadonlyMap<number, string> {
    const found = readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .flatMap((pid) => {
        try {
          const inside = readlinkSync(`/proc/${pid}/cwd`).startsWith(this.folder);
          return inside ? [[Number(pid), readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')] as const] : [];
        } catch {
          // It ended meanwhile, or is not ours to look at.
          return [];
        }
      });
    return new Map(found);
  }

  /** Kills, without warning, what runs there and matches. */
  kill(pattern: RegExp): void {
    for (const [pid, command] of this.processes()) if (pattern.test(command)) process.kill(pid, 'SIGKILL');
  }

  /** The names in one of its folders; none when there is no such folder. */
  list(folder: string): readonly string[] {
    const path = join(this.folder, folder);
    return existsSync(path) ? readdirSync(path) : [];
  }

  dispose(): void {
    this.kill(/./);
    rmSync(this.place, { recursive: true, force: true });
  }
}

function npmSetting(key: string): string {
  return execFileSync('npm', ['config', 'get', key], { encoding: 'utf8' }).trim();
}

function nobody(): User {
  const [uid = 0, gid = 0] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' })));
  return { uid, gid };
}

/** The environment without what the tests, jest and npm have put into it, and without what the apps would read there. */
function foreignEnv(): NodeJS.ProcessEnv {
  const own = /^(npm_|jest_|redis_|node_env$|init_cwd$|ci$|no_color$|force_color$)/i;
  const settings = readFileSync('docs/configuration.md', 'utf8');
  return Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !own.test(name) && !settings.includes(`| \`${name}\` |`)),
  );
}

function linkProgramsBut(unwanted: RegExp, bin: string): void {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter).filter((each) => existsSync(each))) {
    // npm puts the project's own programs in front; a stranger has none of them.
    if (folder.includes('node_modules')) continue;
    for (const name of readdirSync(folder)) {
      const link = join(bin, name);
      if (!unwanted.test(name) && !existsSync(link)) symlinkSync(join(folder, name), link);
    }
  }
}
