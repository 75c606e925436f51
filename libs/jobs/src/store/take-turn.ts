import type { Link } from './link.js';
import { asNumber } from './reply.js';
import { Script } from './script.js';

const script = new Script('take-turn');

/** Takes the turn of all processes at sweeping belongings. Answers 0 when it is ours, else the ms until there is one. */
export async function takeSweepTurn(link: Link, everyMs: number): Promise<number> {
  const { clock, turn } = link.sweeps;
  return asNumber(await script.run(link.redis, [clock, turn], [everyMs]));
}
