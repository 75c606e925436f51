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

  it('is given from the outbox in the order of its index, unsorted', async () => {
    const { database } = await databases.migrated();
    const { rows } = await database.transaction(async (transaction) => {
      await sql`set local enable_seqscan = off`.execute(transaction);
      return sql`explain select id from outbox where taken_until <= ${database.engine.now} order by taken_until, id limit 64 for update skip locked`.execute(
        transaction,
      );
    });
    expect(JSON.stringify(rows)).toContain('Index Cond: (taken_until <=');
    expect(JSON.stringify(rows)).not.toContain('Sort');
  });
});
