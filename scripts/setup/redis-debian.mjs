import { chmodSync, existsSync, readdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DebianPackages } from './debian-packages.mjs';
import { CACHE } from './places.mjs';

const HOME = join(CACHE, 'redis');
/** Starts the unpacked server with the libraries that lie beside it. */
export const UNPACKED = join(HOME, 'redis-server');

/** The server is in the tools' package, under the name of the checker: both are one program that goes by its name. */
const PACKAGES = [
  { name: 'redis-tools', program: 'redis-check-rdb' },
  { name: 'valkey-tools', program: 'valkey-check-rdb' },
];

const REMEDY = 'Check the network, or install Redis yourself (sudo apt-get install redis-server), then try again.';

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
    const packages = new DebianPackages(draft, signal, REMEDY);
    await packages.look('Redis');
    const source = PACKAGES.find(({ name }) => Number.parseInt(packages.candidate(name) ?? '0', 10) >= oldestMajor);
    if (source === undefined) return;
    await packages.unpack(source.name);
    writeLauncher(draft, source.program);
    rmSync(HOME, { recursive: true, force: true });
    renameSync(draft, HOME);
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
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
