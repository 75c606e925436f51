import { Injectable } from '@nestjs/common';
import { sql, type Selectable } from 'kysely';
import { Database, type ShopTransaction } from '../database/database.js';
import { inChunks } from '../database/in-chunks.js';
import { inPages } from '../database/in-pages.js';
import { newId } from '../database/new-id.js';
import { boundsOf, type Period } from '../database/period.js';
import type { CustomersTable } from '../database/tables.js';

/** A customer as somebody else tells of it. What is not told is kept as it is. */
export interface CustomerEntry {
  /** In lower case it is what makes it one customer. */
  readonly email: string;
  readonly name?: string | undefined;
  readonly phone?: string | undefined;
  /** ISO 3166-1 alpha-2. */
  readonly country?: string | undefined;
}

export interface Customer {
  readonly id: string;
  readonly email: string;
  /** Empty when nobody has told it. */
  readonly name: string;
  readonly phone: string | null;
  readonly country: string | null;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** How many customers were new, and how many were known: together as many as were given. */
export interface UpsertCounts {
  readonly inserted: number;
  readonly updated: number;
}

/** Those who buy. */
@Injectable()
export class Customers {
  constructor(private readonly database: Database) {}

  /** Writes customers, new or known by their e-mail. One that is given twice counts as new once and as known then. */
  async upsert(transaction: ShopTransaction, entries: readonly CustomerEntry[]): Promise<UpsertCounts> {
    let inserted = 0;
    for (const chunk of inChunks(mergedByEmail(entries))) inserted += await this.upsertChunk(transaction, chunk);
    return { inserted, updated: entries.length - inserted };
  }

  /** All that were made within a period, the oldest first, in constant memory. */
  async *stream(period: Period = {}): AsyncGenerator<Customer, void, void> {
    for await (const row of inPages<Selectable<CustomersTable>>((after, limit) => this.page(period, after, limit))) {
      yield customerOf(row);
    }
  }

  private page(period: Period, after: Selectable<CustomersTable> | undefined, limit: number) {
    const { fromMs, toMs } = boundsOf(period);
    return this.database.tables
      .selectFrom('customers')
      .selectAll()
      .where('created_at', '>=', after?.created_at ?? fromMs)
      .where('created_at', '<', toMs)
      .$if(after !== undefined, (query) =>
        query.where((eb) => eb(eb.refTuple('created_at', 'id'), '>', eb.tuple(after?.created_at ?? 0, after?.id ?? ''))),
      )
      .orderBy('created_at')
      .orderBy('id')
      .limit(limit)
      .execute();
  }

  /** @returns how many were new: a known one keeps its id. */
  private async upsertChunk(transaction: ShopTransaction, entries: readonly KeyedEntry[]): Promise<number> {
    const { now } = this.database.engine;
    const values = entries.map((entry) => ({ id: newId(), ...rowOf(entry), created_at: now, updated_at: now }));
    const ids = new Set(values.map(({ id }) => id));
    const written = await transaction
      .insertInto('customers')
      .values(values)
      .onConflict((conflict) =>
        conflict.column('email_key').doUpdateSet((eb) => ({
          email: eb.ref('excluded.email'),
          name: sql<string>`coalesce(nullif(excluded.name, ''), customers.name)`,
          phone: eb.fn.coalesce('excluded.phone', 'customers.phone'),
          country: eb.fn.coalesce('excluded.country', 'customers.country'),
          updated_at: eb.ref('excluded.updated_at'),
        })),
      )
      .returning('id')
      .execute();
    return written.filter(({ id }) => ids.has(id)).length;
  }
}

interface KeyedEntry extends CustomerEntry {
  readonly key: string;
}

/** Each customer once, as the entries one after the other would leave it; in one order, so that two who write do not wait for each other. */
function mergedByEmail(entries: readonly CustomerEntry[]): readonly KeyedEntry[] {
  const merged = new Map<string, KeyedEntry>();
  for (const { email, name, phone, country } of entries) {
    const key = email.toLowerCase();
    const known = merged.get(key);
    merged.set(key, { key, email, name: name ?? known?.name, phone: phone ?? known?.phone, country: country ?? known?.country });
  }
  return [...merged.values()].sort((one, other) => (one.key < other.key ? -1 : 1));
}

function rowOf({ key, email, name, phone, country }: KeyedEntry) {
  return { email, email_key: key, name: name ?? '', phone: phone ?? null, country: country ?? null };
}

function customerOf({ id, email, name, phone, country, created_at, updated_at }: Selectable<CustomersTable>): Customer {
  return { id, email, name, phone, country, createdAt: new Date(created_at), updatedAt: new Date(updated_at) };
}
