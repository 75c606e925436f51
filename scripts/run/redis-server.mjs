import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../setup/fault.mjs';
import { freePort, portIsTaken } from './ports.mjs';
import { ended, lives, readRecord, recordOf, send, writeRecord } from '../setup/process-record.mjs';
import { redisAnswers, redisKeepsDataIn } from './redis-talk.mjs';

const START_MS = 120_000;
const STOP_MS = 10_000;
const TRIES = 3;

/**
 * A write is on the disk about a second after it was answered. While the disk is busy with an earlier one, Redis may hold it back for up to
 * two seconds: a kill of Redis alone can lose that much.
 */
const KEEP = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--save', ''];
const FORGET = ['--appendonly', 'no', '--save', ''];

/**
 * @typedef {object} RunningRedis
 * @property {number} pid
 * @property {string} url
 * @property {boolean} isWhereItWas on the port of the one before on this data, where those who knew that one find it
 * @property {() => boolean} lives
 * @property {() => Promise<void>} stop
 */

/**
 * Runs a private Redis on the loopback interface, or takes over the one that a killed start left running on this data. One that
 * keeps its data also keeps its port, when that is free.
 * It is a session of its own, so that a Ctrl-C in the terminal does not reach it before its users have ended.
 * @param {object} settings
 * @param {string} settings.binary
 * @param {string} settings.folder for its data, its log and the record of the running server
 * @param {boolean} settings.keep whether the data is to outlive the server
 * @param {AbortSignal} settings.signal
 * @returns {Promise<RunningRedis>}
 * @throws {Fault} with the end of Redis' log
 */
export async function runRedis({ binary, folder, keep, signal }) {
  mkdirSync(folder, { recursive: true });
  const home = realpathSync(folder);
  const left = await leftRunning(home, signal);
  if (left !== undefined) return left;
  const before = keep ? portBefore(home) : undefined;
  for (let tries = 1; ; tries += 1) {
    const isFree = tries === 1 && before !== undefined && !(await portIsTaken('127.0.0.1', before));
    const redis = await launch(binary, home, { keep, port: isFree ? before : await freePort(), isWhereItWas: isFree }, signal);
    if (redis !== undefined) return redis;
    const log = readLog(home);
    // Another program was faster on the port that had been free a moment ago.
    if (log.includes('Address already in use') && tries < TRIES) continue;
    throw new Fault(`Redis did not start. The end of ${logIn(home)}:\n${log.split('\n').slice(-12).join('\n')}`);
  }
}

/**
 * @param {string} home
 * @param {AbortSignal} signal
 * @returns {Promise<RunningRedis | undefined>}
 */
async function leftRunning(home, signal) {
  const record = readRecord(recordIn(home));
  if (record === undefined || record.port === undefined || !lives(record)) return undefined;
  const redis = handle(home, record, { port: record.port, isWhereItWas: true });
  if ((await redisKeepsDataIn(record.port, home)) && (await becomesReady(redis, record.port, signal))) return redis;
  // Two servers on one append-only file would spoil it.
  await redis.stop();
  return undefined;
}

/**
 * @param {string} binary
 * @param {string} home
 * @param {{keep: boolean, port: number, isWhereItWas: boolean}} how
 * @param {AbortSignal} signal
 * @returns {Promise<RunningRedis | undefined>} undefined when it ended instead of starting
 */
async function launch(binary, home, { keep, port, isWhereItWas }, signal) {
  signal.throwIfAborted();
  const log = openSync(logIn(home), 'w');
  const args = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--dir',
    home,
    '--maxmemory-policy',
    'noeviction',
    ...(keep ? KEEP : FORGET),
  ];
  const child = spawn(binary, args, { cwd: home, detached: true, stdio: ['ignore', log, log] });
  closeSync(log);
  child.once('error', () => undefined);
  if (child.pid === undefined) throw new Fault(`${binary} could not be run.`);
  const record = recordOf(child.pid, { port });
  writeRecord(recordIn(home), record);
  if (keep) writeFileSync(portIn(home), String(port));
  child.unref();
  const redis = handle(home, record, { port, isWhereItWas });
  if (await becomesReady(redis, port, signal)) return redis;
  await redis.stop();
  return undefined;
}

/**
 * @param {string} home
 * @param {import('../setup/process-record.mjs').ProcessRecord} record
 * @param {{port: number, isWhereItWas: boolean}} place
 * @returns {RunningRedis}
 */
function handle(home, record, { port, isWhereItWas }) {
  return {
    pid: record.pid,
    url: `redis://127.0.0.1:${port}`,
    isWhereItWas,
    lives: () => lives(record),
    async stop() {
      send(record, 'SIGTERM');
      if (!(await ended(record, STOP_MS))) {
        send(record, 'SIGKILL');
        await ended(record, STOP_MS);
      }
      rmSync(recordIn(home), { force: true });
    },
  };
}

/**
 * @param {RunningRedis} redis
 * @param {number} port
 * @param {AbortSignal} signal
 * @returns {Promise<boolean>} false when it ended, or did not take commands in time; loading much data takes its time
 */
async function becomesReady(redis, port, signal) {
  const deadline = performance.now() + START_MS;
  while (redis.lives() && performance.now() < deadline && !signal.aborted) {
    if (await redisAnswers(port)) return true;
    await sleep(25);
  }
  if (signal.aborted) await redis.stop();
  signal.throwIfAborted();
  return false;
}

/**
 * @param {string} home
 * @returns {number | undefined} of the last Redis on this data
 */
function portBefore(home) {
  const port = existsSync(portIn(home)) ? Number(readFileSync(portIn(home), 'utf8')) : 0;
  return Number.isInteger(port) && port > 0 && port < 65_536 ? port : undefined;
}

/** @param {string} home */
function portIn(home) {
  return join(home, 'port');
}

/** @param {string} home */
function recordIn(home) {
  return join(home, 'server.json');
}

/** @param {string} home */
function logIn(home) {
  return join(home, 'redis.log');
}

/** @param {string} home */
function readLog(home) {
  return readFileSync(logIn(home), 'utf8').trimEnd();
}
