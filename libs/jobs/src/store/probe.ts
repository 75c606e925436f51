import { endsWithin, mastersOf, type RedisMaster } from '@antrean/platform';
import type { Link } from './link.js';

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

/** Writes a key that is gone again after ten seconds: whether Redis takes writes is known by writing only. */
export function probeWrite(link: Link): Promise<unknown> {
  return link.redis.set(link.probeKey, '1', 'PX', 10_000);
}

/** Resolves when the server of a type takes writes to it; changes nothing. */
export function probeType(link: Link, type: string): Promise<unknown> {
  return link.redis.zrem(link.keys(type).leases, '');
}
