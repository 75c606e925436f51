import type { Link } from './link.js';
import { asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('wait');

/** Lets the end of a job be told on its channel `ended`. False: it has ended, or there is no such job. */
export async function wait(link: Link, type: string, ulid: string): Promise<boolean> {
  const { clock, running } = link.keys(type);
  return asNumber(await script.run(link.redis, [clock, running], [ulid])) === 1;
}
