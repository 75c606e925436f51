import type { Link } from './link.js';
import { asArray, asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('failed-within');

export interface FailedWithin {
  /** By the clock that the type's jobs have their times from: on a Cluster each node has one of its own. */
  readonly now: number;
  readonly count: number;
}

/** How many jobs of a type failed within a time, in ms, both ends included. */
export async function failedWithin(link: Link, type: string, fromMs: number, toMs: number): Promise<FailedWithin> {
  const { clock, failed } = link.keys(type);
  const [now = 0, count = 0] = asArray(await script.run(link.redis, [clock, failed], [fromMs, toMs])).map(asNumber);
  return { now, count };
}
