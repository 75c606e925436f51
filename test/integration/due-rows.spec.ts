import { sql } from 'kysely';
import { testDatabases } from '../support/shop-database.js';

describe('what is due on PostgreSQL', () => {
  const databases = testDatabases('PostgreSQL');

  it.each([
    ['order_requests', 'expires_at'],
    ['order_jobs', 'check_at'],
  ])('is found among %s by the index of %s', async (table, column) => {
    const { database } = await databases.migrated();
    const { rows } = await database.transaction(async (transaction) => {
      // Of few rows it would read all.
      await sql`set local enable_seqscan = off`.execute(transaction);
      return sql`explain select 1 from ${sql.table(table)} where ${sql.ref(column)} <= ${database.engine.now}`.execute(
        transaction,
      );
    });
    expect(JSON.stringify(rows)).toContain(`Index Cond: (${column} <=`);
  });
});
