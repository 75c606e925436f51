import type { Link } from './link.js';
import { decodeRecord, type JobRecord } from './record.js';
import { asArray, asBuffer } from './reply.js';
import { Script } from './script.js';

const script = new Script('cancel');

/**
 * Cancels jobs, at most 250. Each in its new state, without its payload; undefined when there is none. One that had ended keeps
 * its state, one that runs is asked to stop (`processing`, `cancelRequested`).
 */
export async function cancel(
  link: Link,
  type: string,
  ulids: readonly string[],
  keepFinished: boolean,
): Promise<readonly (JobRecord | undefined)[]> {
  const keys = link.keys(type);
  const answers = asArray(
    await script.run(
      link.redis,
      [keys.clock, keys.scheduled, keys.retrying, keys.parked, keys.ghosts, keys.cancels, keys.cancelled, keys.expiring],
      [keepFinished ? 1 : 0, ...ulids],
    ),
  ).map(asBuffer);
  return answers.map((answer) => (answer.length === 0 ? undefined : decodeRecord(answer)));
}
