import { endsWithin, mastersOf, type RedisMaster } from '@antrean/platform';
import type { Link } from './link.js';
import { Script } from './script.js';

const script = new Script('probe');
const memoryScript = new Script('probe-memory');

/** One that hangs is not to keep it from being known that others do not. */
const PATIENCE_MS = 1_000;

/** Of the servers that take writes, how many answer, and how many do not. */
export async function pingAll(link: Link): Promise<{ readonly there: number; readonly away: number }> {
  const { masters, away } = await mastersOf(link.redis);
  const answered = await Promise.all(masters.map(answers));
  const there = answered.filter(Boolean).length;
  return { there, away: away.length + masters.length - there };
}

function answers({ connection }: RedisMaster): Promise<boolean> {
  return endsWithin(connection.ping(), PATIENCE_MS).catch(() => false);
}

/** Resolves when Redis takes jobs, as far as one server tells: that is known by writing only. */
export function probeWrite(link: Link): Promise<unknown> {
  const { clock, key } = link.probe;
  return memoryScript.run(link.redis, [clock, key], []);
}

/** Resolves when the server of a type takes what workers write for it; changes nothing. */
export function probeType(link: Link, type: string): Promise<unknown> {
  const { clock, leases } = link.keys(type);
  return script.run(link.redis, [clock, leases], []);
}
