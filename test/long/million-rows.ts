import type { Database } from '@antrean/shop';
import { sql } from 'kysely';

const START = Date.UTC(2026, 0, 1);
/** Most names are Latin, and a document has to bear the others. */
const NAMES = ['Zoë "Z", Müller', 'Ана Петрова', '王小明', 'سارة', 'Nguyễn Thị Ánh'];
const OTHER_NAME_EVERY = 20;

/** Fills a SQLite database with so many customers, and an order of each, a second apart from 2026 on. */
export async function fillShop(database: Database, count: number): Promise<void> {
  const rows = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${count - 1})`;
  const id = (letter: string): string => `printf('01JZ${letter}%021d', i)`;
  const name = NAMES.map((other, nth) => `when ${nth} then '${other}'`).join(' ');
  const at = `${START} + i * 1000`;
  await database.transaction(async (transaction) => {
    for (const statement of [
      `insert into customers (id, email, email_key, name, phone, country, created_at, updated_at)
       ${rows} select ${id('C')}, 'customer-' || i || '@example.com', 'customer-' || i || '@example.com',
         case when i % ${OTHER_NAME_EVERY} > 0 then 'Budi Santoso ' || i else case (i / ${OTHER_NAME_EVERY}) % ${NAMES.length} ${name} end end,
         case when i % 3 > 0 then '+62 21 ' || (5550000 + i) end, case when i % 7 > 0 then 'ID' end, ${at}, ${at} from n`,
      `insert into orders (id, customer_id, customer_email, customer_name, customer_country, currency, total_minor, created_at)
       ${rows} select ${id('R')}, id, email, name, country, case i % 2 when 0 then 'EUR' else 'IDR' end, 100 + i, ${at}
       from n join customers on id = ${id('C')}`,
      `insert into order_items (order_id, position, sku, name, quantity, unit_price_minor)
       ${rows} select ${id('R')}, 1, 'TEA', 'Tea', 1, 100 + i from n`,
    ]) {
      await sql.raw(statement).execute(transaction);
    }
  });
}
