import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Fault } from './fault.mjs';
import { CACHE } from './places.mjs';
import { runStep } from './step.mjs';

const HOME = join(CACHE, 'redis');
/** Starts the unpacked server with the libraries that lie beside it. */
export const UNPACKED = join(HOME, 'redis-server');

/** The server is in the tools' package, under the name of the checker: both are one program that goes by its name. */
const PACKAGES = [
  { name: 'redis-tools', program: 'redis-check-rdb' },
  { name: 'valkey-tools', program: 'valkey-check-rdb' },
];

const REMEDY = 'Check the network, or install Redis yourself (sudo apt-get install redis-server), then try again.';

/** True on Debian, Ubuntu and what is made of them. */
export function canUnpack() {
  return (
    existsSync('/var/lib/dpkg/status') && ['apt-get', 'dpkg-deb'].every((tool) => spawnSync(tool, ['--version']).status === 0)
  );
}

/**
 * Fetches the distribution's package and the libraries of it that this system lacks, and unpacks them into the project:
 * no root, no service, nothing outside the project is touched.
 * @param {number} oldestMajor
 * @param {AbortSignal} signal
 * @throws {Fault}
 */
export async function unpackRedis(oldestMajor, signal) {
  const draft = `${HOME}.draft`;
  // What a killed set-up left.
  rmSync(draft, { recursive: true, force: true });
  try {
    const apt = privateApt(join(draft, 'apt'));
    const step = { cwd: draft, signal, remedy: REMEDY };
    await runStep({
      ...step,
      title: 'Looking for Redis among the packages of this system',
      command: 'apt-get',
      args: [...apt, '-q', 'update'],
    });
    const source = PACKAGES.find(({ name }) => candidateMajor(apt, name) >= oldestMajor);
    if (source === undefined) return;
    const names = missingPackages(apt, source.name);
    await runStep({
      ...step,
      title: `Fetching ${names.join(', ')}`,
      command: 'apt-get',
      args: [...apt, '-q', 'download', ...names],
    });
    for (const file of readdirSync(draft).filter((name) => name.endsWith('.deb'))) {
      const { status, stderr } = spawnSync('dpkg-deb', ['-x', join(draft, file), join(draft, 'root')], { encoding: 'utf8' });
      if (status !== 0) throw new Fault(`${file} could not be unpacked: ${stderr}\n${REMEDY}`);
      rmSync(join(draft, file));
    }
    rmSync(join(draft, 'apt'), { recursive: true });
    writeLauncher(draft, source.program);
    rmSync(HOME, { recursive: true, force: true });
    renameSync(draft, HOME);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
}

/**
 * Options that make apt keep its lists and downloads in a folder of its own and run no hook of the system.
 * @param {string} folder
 */
function privateApt(folder) {
  for (const part of ['state/lists/partial', 'cache/archives/partial']) mkdirSync(join(folder, part), { recursive: true });
  const settings = join(folder, 'apt.conf');
  writeFileSync(
    settings,
    `#clear APT::Update::Pre-Invoke;
#clear APT::Update::Post-Invoke;
#clear APT::Update::Post-Invoke-Success;
Dir::State "${join(folder, 'state')}";
Dir::State::status "/var/lib/dpkg/status";
Dir::Cache "${join(folder, 'cache')}";
Acquire::Languages "none";
Acquire::Retries "1";
Acquire::http::Timeout "20";
APT::Sandbox::User "";
Debug::NoLocking "true";
`,
  );
  return ['-c', settings];
}

/**
 * @param {readonly string[]} apt
 * @param {string} name of a package
 * @returns {number} 0 when there is none
 */
function candidateMajor(apt, name) {
  const { stdout } = spawnSync('apt-cache', [...apt, 'policy', name], { encoding: 'utf8', env: plainEnv() });
  return Number(/Candidate: (?:\d+:)?(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}

/**
 * The package itself and what it needs beyond what is installed.
 * @param {readonly string[]} apt
 * @param {string} name
 */
function missingPackages(apt, name) {
  const plan = ['-s', '-qq', '--no-install-recommends', 'install', name];
  const { stdout } = spawnSync('apt-get', [...apt, ...plan], { encoding: 'utf8', env: plainEnv() });
  const planned = [...(stdout ?? '').matchAll(/^Inst (\S+)/gm)].flatMap(([, found]) => found ?? []);
  return [...new Set([name, ...planned])];
}

/** What is read from apt must not be in the user's language. */
function plainEnv() {
  return { ...process.env, LC_ALL: 'C' };
}

/**
 * @param {string} home where `root` is; found again by the launcher itself, so that the folder can be moved
 * @param {string} program
 */
function writeLauncher(home, program) {
  const bin = join('root', 'usr', 'bin');
  rmSync(join(home, bin, 'redis-server'), { force: true });
  symlinkSync(program, join(home, bin, 'redis-server'));
  const libraries = ['lib', 'usr/lib']
    .map((folder) => join('root', folder))
    .filter((folder) => existsSync(join(home, folder)))
    .flatMap((folder) => readdirSync(join(home, folder)).map((triplet) => `$here/${folder}/${triplet}`));
  writeFileSync(
    join(home, 'redis-server'),
    `#!/bin/sh
here=$(dirname "$0")
export LD_LIBRARY_PATH="${libraries.join(':')}"
exec "$here/${bin}/redis-server" "$@"
`,
  );
  chmodSync(join(home, 'redis-server'), 0o755);
}
