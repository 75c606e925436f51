import type { Link } from './link.js';

/** Writes a key that is gone again after ten seconds: whether Redis takes writes is known by writing only. */
export function probeWrite(link: Link): Promise<unknown> {
  return link.redis.set(link.probeKey, '1', 'PX', 10_000);
}

/** Resolves when the server of a type takes writes to it; changes nothing. */
export function probeType(link: Link, type: string): Promise<unknown> {
  return link.redis.zrem(link.keys(type).leases, '');
}
