import { Redis } from 'ioredis';
import type { Entry, Ledgers } from './entries.js';

const PAGE = 5_000;

/** The ledgers of a campaign, in a Redis that no fault touches. Each entry gets its time there. */
export class Ledger {
  private readonly redis: Redis;

  constructor(url: string) {
    this.redis = new Redis(url, { enableAutoPipelining: true });
  }

  async write<L extends keyof Ledgers>(ledger: L, entry: Ledgers[L]): Promise<void> {
    await this.redis.xadd(ledger, '*', 'entry', JSON.stringify(entry));
  }

  async read<L extends keyof Ledgers>(ledger: L): Promise<Entry<Ledgers[L]>[]> {
    const entries: Entry<Ledgers[L]>[] = [];
    for (let from = '-'; ;) {
      const page = await this.redis.xrange(ledger, from, '+', 'COUNT', PAGE);
      for (const [id, [, text = '']] of page) {
        // Only `write` writes here.
        entries.push({ ...(JSON.parse(text) as Ledgers[L]), atMs: Number(id.split('-')[0]) });
      }
      const last = page.at(-1)?.[0];
      if (last === undefined || page.length < PAGE) return entries;
      from = `(${last}`;
    }
  }

  /** How many entries it has. */
  count(ledger: keyof Ledgers): Promise<number> {
    return this.redis.xlen(ledger);
  }

  /** Of the machine, as all Redis servers on it see it, whatever the clocks of the applications say. */
  async nowMs(): Promise<number> {
    const [seconds = 0, us = 0] = await this.redis.time();
    return seconds * 1_000 + Math.floor(us / 1_000);
  }

  close(): void {
    this.redis.disconnect();
  }
}
