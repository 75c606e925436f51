import type { Link } from './link.js';
import { decodeTouched, type JobRecord } from './record.js';
import { asArray, asBuffer } from './reply.js';
import { Script } from './script.js';

const script = new Script('cancel');

/** One job after an attempt to cancel it. */
export interface Cancelled {
  /** False: it had ended, or had been asked to stop before. */
  readonly changed: boolean;
  /** In the state it has now, without its payload. One that runs is asked to stop: `processing`, `cancelRequested`. */
  readonly record: JobRecord;
  /** Since when the running job is asked to stop, in ms; undefined when it is not. */
  readonly askedAt: number | undefined;
}

/** Cancels jobs, at most 64; undefined for one that does not exist. */
export async function cancel(link: Link, type: string, ulids: readonly string[]): Promise<readonly (Cancelled | undefined)[]> {
  const keys = link.keys(type);
  const answers = asArray(
    await script.run(
      link.redis,
      [
        keys.clock,
        keys.scheduled,
        keys.retrying,
        keys.parked,
        keys.ghosts,
        keys.cancels,
        keys.cancelled,
        keys.expiring,
        keys.idle,
        keys.leases,
      ],
      ulids,
    ),
  ).map(asBuffer);
  return answers.map((answer) =>
    answer.length === 0
      ? undefined
      : {
          changed: answer.toString('latin1', 0, 1) === '+',
          askedAt: answer.readUIntLE(1, 6) || undefined,
          record: decodeTouched(answer.subarray(7)),
        },
  );
}
