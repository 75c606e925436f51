import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import type { WorkerIdentity } from '../store/exchange.js';

/** The token under which this process' identity is injected. */
export const WORKER_IDENTITY = Symbol('WORKER_IDENTITY');

/** A new worker's identity: 52 random bits, which a sorted set's score holds exactly, and where it runs. */
export function newWorkerIdentity(): WorkerIdentity {
  return { number: randomBytes(8).readBigUInt64LE() >> 12n, label: `${hostname()} ${process.pid}` };
}
