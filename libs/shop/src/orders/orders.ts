import { Injectable } from '@nestjs/common';
import { sql, type Kysely } from 'kysely';
import { ConstraintError } from '../database/database-errors.js';
import { Database, type ShopTransaction } from '../database/database.js';
import { inChunks } from '../database/in-chunks.js';
import { inPages } from '../database/in-pages.js';
import { newId } from '../database/new-id.js';
import { boundsOf, type Period } from '../database/period.js';
import type { ShopTables } from '../database/tables.js';
import { UnknownCustomerError } from './unknown-customer-error.js';
import { FIRST_CHECK_MS } from './order-outcomes.js';
import { itemOf, jobOf, lineOf, type NewOrder, type Order, type OrderJob, type OrderLine, type OrderRow } from './order.js';

/** What was bought, and what became of the jobs that an order brought with it. */
@Injectable()
export class Orders {
  constructor(private readonly database: Database) {}

  /**
   * Writes an order with its items.
   * @returns its id
   * @throws {UnknownCustomerError} the transaction cannot go on then.
   */
  async add(transaction: ShopTransaction, { id = newId(), customerId, currency, items }: NewOrder): Promise<string> {
    const total = items.reduce((sum, { quantity, unitPriceMinor }) => sum + quantity * unitPriceMinor, 0);
    const customer = await transaction
      .selectFrom('customers')
      .select(['id as customer_id', 'email as customer_email', 'name as customer_name', 'country as customer_country'])
      .where('id', '=', customerId)
      .executeTakeFirst();
    if (customer === undefined) throw new UnknownCustomerError(customerId);
    const order = { id, ...customer, currency, total_minor: total, created_at: this.database.engine.now };
    try {
      await transaction.insertInto('orders').values(order).execute();
    } catch (error) {
      if (error instanceof ConstraintError && error.kind === 'foreign_key') throw new UnknownCustomerError(customerId, error);
      throw error;
    }
    const rows = items.map(({ sku, name, quantity, unitPriceMinor }, index) => ({
      order_id: id,
      position: index + 1,
      sku,
      name,
      quantity,
      unit_price_minor: unitPriceMinor,
    }));
    for (const chunk of inChunks(rows)) await transaction.insertInto('order_items').values(chunk).execute();
    return id;
  }

  /** Writes the jobs that an order brings with it, in the order's own transaction. */
  async addJobs(transaction: ShopTransaction, orderId: string, jobs: readonly Pick<OrderJob, 'type' | 'jobId'>[]): Promise<void> {
    const check_at = sql<number>`${this.database.engine.now} + ${FIRST_CHECK_MS}`;
    const rows = jobs.map(({ type, jobId }) => ({ order_id: orderId, type, job_id: jobId, status: 'queued', check_at }));
    for (const chunk of inChunks(rows)) await transaction.insertInto('order_jobs').values(chunk).execute();
  }

  /** @param tables a transaction that is to see what it has written itself. */
  async get(id: string, tables: Kysely<ShopTables> = this.database.tables): Promise<Order | undefined> {
    const order = await tables.selectFrom('orders').selectAll().where('id', '=', id).executeTakeFirst();
    if (order === undefined) return undefined;
    const items = await tables.selectFrom('order_items').selectAll().where('order_id', '=', id).orderBy('position').execute();
    const jobs = await tables.selectFrom('order_jobs').selectAll().where('order_id', '=', id).orderBy('job_id').execute();
    return {
      id,
      customerId: order.customer_id,
      customer: { email: order.customer_email, name: order.customer_name, country: order.customer_country },
      currency: order.currency,
      totalMinor: order.total_minor,
      createdAt: new Date(order.created_at),
      items: items.map(itemOf),
      jobs: jobs.map(jobOf),
    };
  }

  /** All that were made within a period, the oldest first, each with its customer as of then, in constant memory. */
  async *stream(period: Period = {}): AsyncGenerator<OrderLine, void, void> {
    for await (const row of inPages<OrderRow>((after, limit) => this.page(period, after, limit))) yield lineOf(row);
  }

  private page(period: Period, after: OrderRow | undefined, limit: number): Promise<OrderRow[]> {
    const { fromMs, toMs } = boundsOf(period);
    return this.database.tables
      .selectFrom('orders')
      .select(['id', 'created_at', 'customer_email', 'customer_name', 'customer_country', 'currency', 'total_minor'])
      .select((eb) =>
        eb
          .selectFrom('order_items')
          .whereRef('order_items.order_id', '=', 'orders.id')
          .select(({ fn }) => fn.sum<number>('order_items.quantity').as('pieces'))
          .as('pieces'),
      )
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
}
