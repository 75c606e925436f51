import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { account, packageVersion, program } from './postgres-package.js';

/** Its one user, who needs no password. */
export const USER = 'postgres';

const SETTINGS = ['--auth=trust', `--username=${USER}`, '--encoding=UTF8', '--locale=C', '--no-sync', '--no-instructions'];

/** Lays the data of a new PostgreSQL into `<folder>/data`: a copy, as making them anew takes four times as long. */
export function layEmptyCluster(folder: string): void {
  execFileSync('cp', ['-a', emptyCluster(), join(folder, 'data')]);
}

/** The folder to copy, made by whoever needs it first. */
function emptyCluster(): string {
  const { uid = process.getuid?.() } = account();
  const made = join(process.cwd(), '.cache', `postgres-${packageVersion()}-${uid}`);
  if (!existsSync(made)) makeCluster(made);
  return made;
}

function makeCluster(to: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'antrean-initdb-'));
  const { uid, gid } = account();
  if (uid !== undefined && gid !== undefined) chownSync(folder, uid, gid);
  execFileSync(program('initdb'), ['--pgdata', join(folder, 'data'), ...SETTINGS], { ...account(), cwd: folder, stdio: 'pipe' });
  mkdirSync(join(to, '..'), { recursive: true });
  // What has its name is whole; and where another suite was faster, its own serves as well.
  const copy = mkdtempSync(`${to}-`);
  execFileSync('cp', ['-a', join(folder, 'data'), copy]);
  try {
    renameSync(join(copy, 'data'), to);
  } catch (error) {
    if (!existsSync(to)) throw error;
  }
  for (const done of [folder, copy]) rmSync(done, { recursive: true, force: true });
}
