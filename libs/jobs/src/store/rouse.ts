import type { Link } from './link.js';
import { asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('rouse');

/** Wakes one more idle worker of a type if work waits there that one could take, or whose time has come; answers whether it did. */
export async function rouse(link: Link, type: string): Promise<boolean> {
  const keys = link.keys(type);
  const woke = await script.run(
    link.redis,
    [
      keys.clock,
      keys.idle,
      keys.workers,
      keys.parked,
      keys.scheduled,
      keys.retrying,
      keys.expiring,
      keys.suspects,
      ...keys.ready,
    ],
    [],
  );
  return asNumber(woke) === 1;
}
