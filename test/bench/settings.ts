import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus, loadavg, totalmem } from 'node:os';
import { PAYLOAD_BYTES } from './job.js';
import type { Sizes } from './sizes.js';

/** Everything that a reader needs to know of the run as a whole. */
export function settingsOf(mode: string, rounds: number, sizes: Sizes, redisVersion: string) {
  return {
    mode,
    rounds,
    order: 'ours, peer, bare Redis where it says something; and again',
    ratio: 'ours / peer; which way is better stands with each figure',
    peer: `bullmq ${versionOf('bullmq')}`,
    node: process.version,
    redis: redisVersion,
    ioredis: versionOf('ioredis'),
    processors: cpus().length,
    processor: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadBefore: loadavg()[0] ?? 0,
    redisPersistence: 'none',
    payloadBytes: PAYLOAD_BYTES,
    handler: 'does nothing',
    logLevel: 'error (at warn, Antrean says at its start that this Redis keeps nothing)',
    warmUpJobs: sizes.warmUp,
    oursSettings: {
      application: 'built library in Nest applications, forProducer() and forWorker(), handlers found by their decorator',
      on: 'trail, heartbeat thread, Prometheus metrics, retries (5 attempts, exponential), time limits (30 s + 5 s), wake-ups',
      leaseMs: 30_000,
      retentionMs: 'removed: 0, kept: 1 h',
    },
    peerSettings: {
      application:
        'one Queue or Worker a process, concurrency = slots, addBulk, lock renewal and stalled check at their defaults',
      removal: 'removed: removeOnComplete { count: 0 } of the worker, kept: no option',
      trace: 'in telemetry.metadata of the job',
      enableAutoPipelining: 'for many submits in flight: on; for single ones, addBulk and workers: off, where it is slower',
      metrics: 'off',
    },
    validation: '.validated: class-validator, the same class and settings on both sides, at the submit and before the handler',
  };
}

function versionOf(name: string): string {
  const path = createRequire(import.meta.url).resolve(`${name}/package.json`);
  // npm writes a version into every package.json.
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
