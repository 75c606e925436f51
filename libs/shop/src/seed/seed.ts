import type { Database } from '../database/database.js';
import { inChunks } from '../database/in-chunks.js';
import { newId } from '../database/new-id.js';
import { exampleCustomers, exampleOrders } from './examples.js';

export interface SeedCounts {
  readonly customers: number;
  readonly orders: number;
}

/**
 * Fills a database that has no customer yet with an example, the same each time but for the ids of its orders and its dates, which end
 * now.
 * @returns what was added: nothing where there were customers.
 */
export async function seed(database: Database): Promise<SeedCounts> {
  const now = Date.now();
  const customers = exampleCustomers(now).map((customer, index) => ({ id: exampleId(index + 1), ...customer }));
  const orders = exampleOrders(now, customers).map(({ customer, items, ...order }) => {
    const id = newId();
    const total = items.reduce((sum, { quantity, unit_price_minor }) => sum + quantity * unit_price_minor, 0);
    return {
      order: {
        ...{ id, total_minor: total, ...order, customer_id: customer.id },
        ...{ customer_email: customer.email, customer_name: customer.name, customer_country: customer.country },
      },
      items: items.map((item, index) => ({ order_id: id, position: index + 1, ...item })),
    };
  });
  return database.transaction(async (transaction) => {
    // Somebody else may be at the same.
    await database.engine.lockSetUp.execute(transaction);
    const known = await transaction.selectFrom('customers').select('id').limit(1).executeTakeFirst();
    if (known !== undefined) return { customers: 0, orders: 0 };
    for (const rows of inChunks(customers)) await transaction.insertInto('customers').values(rows).execute();
    for (const rows of inChunks(orders)) {
      await transaction
        .insertInto('orders')
        .values(rows.map(({ order }) => order))
        .execute();
      for (const items of inChunks(rows.flatMap((row) => row.items))) {
        await transaction.insertInto('order_items').values(items).execute();
      }
    }
    return { customers: customers.length, orders: orders.length };
  });
}

/** Such as people can type: `01EXAMP1E00000000000000001`. */
function exampleId(number: number): string {
  return `01EXAMP1E${String(number).padStart(17, '0')}`;
}
