import { ConstraintError, Customers, Orders, UnknownCustomerError, type CustomerEntry, type Database } from '@antrean/shop';
import { DATABASES, testDatabases } from '../support/shop-database.js';

const ROWS = 2_500;
const TEA = { sku: 'TEA', name: 'Tea', quantity: 2, unitPriceMinor: 450 };
const MUG = { sku: 'MUG', name: 'Mug', quantity: 1, unitPriceMinor: 900 };

describe.each(DATABASES)('on %s', (kind) => {
  const databases = testDatabases(kind);
  let database: Database;
  let customers: Customers;
  let orders: Orders;

  beforeAll(async () => {
    ({ database } = await databases.migrated());
    customers = new Customers(database);
    orders = new Orders(database);
  });

  const upsert = (...entries: readonly CustomerEntry[]) =>
    database.transaction((transaction) => customers.upsert(transaction, entries));
  const byEmail = async (email: string) => {
    for await (const customer of customers.stream()) if (customer.email === email) return customer;
    return undefined;
  };
  const newCustomer = async (name: string) => {
    await upsert({ email: `${name}@example.com`, name });
    return (await byEmail(`${name}@example.com`))?.id ?? '';
  };
  const all = async <T>(rows: AsyncIterable<T>): Promise<T[]> => {
    const found: T[] = [];
    for await (const row of rows) found.push(row);
    return found;
  };

  describe('customers', () => {
    it('are new or known by their e-mail, in whatever case it is written', async () => {
      const entry = { email: 'Ana@Example.com', name: 'Ana', phone: '+62 1', country: 'ID' };
      expect(await upsert(entry, { email: 'b@example.com', name: 'B' })).toEqual({ inserted: 2, updated: 0 });
      const first = await byEmail('Ana@Example.com');
      expect(await upsert({ email: 'ANA@example.com', name: 'Ana María' }, { email: 'c@example.com', name: 'C' })).toEqual({
        inserted: 1,
        updated: 1,
      });
      // What was not told is kept.
      expect(await byEmail('ANA@example.com')).toMatchObject({
        ...{ id: first?.id, name: 'Ana María', phone: '+62 1', country: 'ID', createdAt: first?.createdAt },
      });
    });

    it('count as new once when they are given twice, and the later entry holds', async () => {
      const twice = [
        { email: 'twice@example.com', name: 'One', phone: '1' },
        { email: 'Twice@example.com', name: 'Two' },
      ];
      expect(await upsert(...twice)).toEqual({ inserted: 1, updated: 1 });
      expect(await byEmail('Twice@example.com')).toMatchObject({ name: 'Two', phone: '1' });
    });

    it('are told apart by letters that only Unicode knows', async () => {
      expect(await upsert({ email: 'ÄRGER@example.com', name: 'Ä' })).toEqual({ inserted: 1, updated: 0 });
      expect(await upsert({ email: 'ärger@example.com', name: 'Ä' })).toEqual({ inserted: 0, updated: 1 });
    });

    it('of two transactions at once, with the same e-mails in another order, are all there once', async () => {
      const entries = Array.from({ length: 300 }, (_, index) => ({ email: `both-${index}@example.com`, name: 'X' }));
      const counts = await Promise.all([upsert(...entries), upsert(...entries.toReversed())]);
      expect(counts.map(({ inserted }) => inserted).sort((one, other) => one - other)).toEqual([0, 300]);
    });

    it('are not written when their transaction fails', async () => {
      const failed = database.transaction(async (transaction) => {
        await customers.upsert(transaction, [{ email: 'gone@example.com', name: 'Gone' }]);
        throw new Error('no');
      });
      await expect(failed).rejects.toThrow('no');
      expect(await byEmail('gone@example.com')).toBeUndefined();
    });

    it('are streamed page by page, each once, the oldest first, and by period', async () => {
      const entries = Array.from({ length: ROWS }, (_, index) => ({ email: `many-${index}@example.com`, name: 'Many' }));
      await upsert(...entries);
      const found = await all(customers.stream());
      expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
      expect(found.filter(({ name }) => name === 'Many')).toHaveLength(ROWS);
      const times = found.map(({ createdAt }) => createdAt.getTime());
      expect(times).toEqual(times.toSorted((one, other) => one - other));
      const to = found.at(-1)?.createdAt;
      expect(await all(customers.stream({ from: to }))).toHaveLength(
        found.filter(({ createdAt }) => createdAt >= (to ?? 0)).length,
      );
      expect(await all(customers.stream({ to: found[0]?.createdAt }))).toEqual([]);
    });

    it('that break a rule are refused, with the rule by its name', async () => {
      const [known] = await all(customers.stream());
      const row = { id: known?.id ?? '', email: 'x', email_key: 'x', name: 'X', phone: null, country: null };
      const times = { created_at: 1, updated_at: 1 };
      const insert = (values: object) =>
        database.tables
          .insertInto('customers')
          .values({ ...row, ...times, ...values })
          .execute();
      await expect(insert({})).rejects.toMatchObject({ code: 'constraint_violated', kind: 'unique', constraint: 'customers_id' });
      await expect(insert({ id: 'new', email_key: known?.email.toLowerCase() })).rejects.toMatchObject({
        ...{ kind: 'unique', constraint: 'customers_email_key' },
      });
      await expect(insert({ id: 'new', name: null })).rejects.toMatchObject({ kind: 'not_null', constraint: 'customers_name' });
      await expect(insert({ id: 'new', nothing: 1 })).rejects.not.toBeInstanceOf(ConstraintError);
    });
  });

  describe('orders', () => {
    it('are kept with their items, their total and their jobs', async () => {
      const customerId = await newCustomer('buyer');
      const id = await database.transaction(async (transaction) => {
        const orderId = await orders.add(transaction, { customerId, currency: 'EUR', items: [TEA, MUG] });
        await orders.addJobs(transaction, orderId, [{ type: 'email.send', jobId: 'job-1' }]);
        return orderId;
      });
      const job = { type: 'email.send', jobId: 'job-1', status: 'queued', result: null, error: null, errorCode: null };
      const order = { id, customerId, currency: 'EUR', totalMinor: 1_800, items: [TEA, MUG] };
      expect(await orders.get(id)).toMatchObject({ ...order, jobs: [{ ...job, finishedAt: null }] });
    });

    it('of nobody are refused', async () => {
      const placed = database.transaction((transaction) =>
        orders.add(transaction, { customerId: 'nobody', currency: 'EUR', items: [TEA] }),
      );
      await expect(placed).rejects.toThrow(UnknownCustomerError);
      expect(await orders.get('nothing')).toBeUndefined();
    });

    it('with a quantity of none are refused by the rule of that name', async () => {
      const customerId = await newCustomer('nobuyer');
      const placed = database.transaction((transaction) =>
        orders.add(transaction, { customerId, currency: 'EUR', items: [{ ...TEA, quantity: 0 }] }),
      );
      await expect(placed).rejects.toMatchObject({ kind: 'check', constraint: 'order_items_quantity' });
    });

    it('are streamed with their customers as they were called when they ordered', async () => {
      await upsert({ email: 'Bride@example.com', name: 'Ms Miller', country: 'DE' });
      const customerId = (await byEmail('Bride@example.com'))?.id ?? '';
      const id = await database.transaction((transaction) =>
        orders.add(transaction, { customerId, currency: 'EUR', items: [TEA] }),
      );
      await upsert({ email: 'bride@example.com', name: 'Mrs Baker', country: 'FR' });
      expect((await all(orders.stream())).find((line) => line.id === id)).toMatchObject({
        ...{ customerEmail: 'Bride@example.com', customerName: 'Ms Miller', customerCountry: 'DE' },
      });
    });

    it('are streamed with their customers, by period', async () => {
      const customerId = await newCustomer('streamer');
      const { id } = await database.transaction(async (transaction) => ({
        id: await orders.add(transaction, { customerId, currency: 'JPY', items: [TEA, MUG] }),
      }));
      const found = (await all(orders.stream())).find((line) => line.id === id);
      expect(found).toMatchObject({
        ...{ customerEmail: 'streamer@example.com', customerName: 'streamer', customerCountry: null },
        ...{ currency: 'JPY', totalMinor: 1_800, pieces: 3 },
      });
      expect(await all(orders.stream({ from: new Date(Date.now() + 60_000) }))).toEqual([]);
    });
  });
});
