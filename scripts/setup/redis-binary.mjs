import { spawnSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { canUnpack } from './debian-packages.mjs';
import { Fault } from './fault.mjs';
import { UNPACKED, unpackRedis } from './redis-debian.mjs';

const OLDEST_MAJOR = 7;
const NAMES = ['redis-server', 'valkey-server'];

/**
 * A server to run: on PATH, else the one unpacked earlier, else, on Debian and Ubuntu, one unpacked now.
 * @param {AbortSignal} signal
 * @returns {Promise<string>} its path
 * @throws {Fault} with the command that brings one on this system
 */
export async function ensureRedisBinary(signal) {
  const onPath = NAMES.flatMap((name) => whereOnPath(name)).map((path) => ({ path, major: majorVersion(path) }));
  const usable = onPath.find(({ major }) => major >= OLDEST_MAJOR);
  if (usable !== undefined) return usable.path;
  if (majorVersion(UNPACKED) >= OLDEST_MAJOR) return UNPACKED;
  if (canUnpack()) {
    await unpackRedis(OLDEST_MAJOR, signal);
    if (majorVersion(UNPACKED) >= OLDEST_MAJOR) return UNPACKED;
  }
  const notUnpacked = canUnpack() ? ' The packages of this system offer none, or could not be fetched.' : '';
  const tooOld = onPath[0] === undefined ? '' : ` (${onPath[0].path} is version ${onPath[0].major})`;
  throw new Fault(
    `Antrean needs a Redis or Valkey of version ${OLDEST_MAJOR} or newer, and there is none on this system${tooOld}.${notUnpacked}\n${HOW_TO}`,
  );
}

const HOW_TO = `One of these brings one; then try again:
  macOS, Homebrew   brew install redis
  Fedora            sudo dnf install valkey
  Docker            docker run -d --name antrean-redis -p 127.0.0.1:6379:6379 redis:7 redis-server --appendonly yes --maxmemory-policy noeviction
                    and start with REDIS_URL=redis://127.0.0.1:6379
  Windows           wsl --install -d Ubuntu     and start from within Ubuntu`;

/**
 * @param {string} name
 * @returns {string[]}
 */
function whereOnPath(name) {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, name))
    .filter((path) => isExecutable(path));
}

/** @param {string} path */
function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/**
 * The major version a server names; 0 when it cannot be run.
 * @param {string} path
 */
function majorVersion(path) {
  if (!isExecutable(path)) return 0;
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8', timeout: 10_000 });
  return Number(/\bv=(\d+)\./.exec(stdout ?? '')?.[1] ?? 0);
}
