import { buffer } from 'node:stream/consumers';
import { InvoiceRender } from '@antrean/catalog';
import { PermanentError, Snooze } from '@antrean/jobs';
import { StorageAwayError, StorageRefusedError, UnfitStorageError, type Storage } from '@antrean/platform';
import { Customers, Orders, type Database, type NewOrder } from '@antrean/shop';
import { InvoiceRenderHandler } from '../../apps/worker/src/handlers/invoice-render/invoice-render.handler.js';
import { jobContext } from '../support/job-context.js';
import { PdfReader } from '../support/pdf-reader.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';
import { folderStorage, type TestStorage } from '../support/stored-files.js';

const TEA = { sku: 'TEA-01', name: 'Jasmine tea, 250 g', quantity: 2, unitPriceMinor: 450 };
const MUG = { sku: 'MUG-02', name: 'Mug', quantity: 1, unitPriceMinor: 900 };

const pdfs = new PdfReader();
afterAll(() => pdfs.close());

describe.each(DATABASES)('the invoice of an order on %s', (kind) => {
  const databases = testDatabases(kind);
  let files: TestStorage;
  let database: Database;

  beforeAll(async () => {
    ({ database } = await databases.migrated());
  });
  beforeEach(async () => {
    files = await folderStorage();
  });
  afterEach(() => files.remove());

  async function placed(name: string, order: Omit<NewOrder, 'customerId'>): Promise<string> {
    const email = `${order.currency.toLowerCase()}-${order.items.length}@example.com`;
    return database.transaction(async (transaction) => {
      await new Customers(database).upsert(transaction, [{ email, name, country: 'ID' }]);
      const { id } = await transaction
        .selectFrom('customers')
        .select('id')
        .where('email_key', '=', email)
        .executeTakeFirstOrThrow();
      return new Orders(database).add(transaction, { ...order, customerId: id });
    });
  }

  const render = (order_id: string, storage: Storage = files.storage) =>
    new InvoiceRenderHandler(storage, new Orders(database)).handle(jobContext(InvoiceRender, { order_id }));
  const bytesOf = async (id: string) => {
    const name = (await render(id)).file_key;
    return buffer((await files.storage.read(name)).body);
  };
  /** Readers put blanks where letters stand apart, so it is the letters that are compared. */
  const pagesOf = async (id: string) =>
    (await pdfs.read(Uint8Array.from(await bytesOf(id)))).pages.map((page) => page.replaceAll(/\s+/g, ''));

  it('has its number, its day, who pays, each item with what it comes to, and the total', async () => {
    const id = await placed('Ελένη Παπαδοπούλου', { currency: 'EUR', items: [TEA, MUG] });
    const written = await render(id);
    expect(written).toEqual({ file_key: `orders/${id.toLowerCase()}/invoice.pdf`, bytes: (await bytesOf(id)).length });
    const [page = '', ...others] = await pagesOf(id);
    expect(others).toEqual([]);
    const order = await new Orders(database).get(id);
    for (const text of [
      `Invoice${id}`,
      `Date:${order?.createdAt.toISOString().slice(0, 10) ?? ''}`,
      'Billto:ΕλένηΠαπαδοπούλουeur-2@example.comID',
      'AllamountsinEUR',
      '1Jasminetea,250gTEA-0124.509.00',
      '2MugMUG-0219.009.00',
      'Total18.00EUR',
      'Page1of1',
    ]) {
      expect(page).toContain(text);
    }
  });

  it.each([
    ['JPY', '1Jasminetea,250gTEA-012450900', 'Total900JPY'],
    ['KWD', '1Jasminetea,250gTEA-0120.4500.900', 'Total0.900KWD'],
  ])('in %s has as many decimals as that has', async (currency, line, total) => {
    const [page] = await pagesOf(await placed('さくら 田中', { currency, items: [TEA] }));
    expect(page).toContain(line);
    expect(page).toContain(total);
    expect(page).toContain('さくら田中');
  });

  it('writes large numbers in thousands, on one line each, and its number alone in the foot', async () => {
    const items = [{ ...TEA, quantity: 1_000_000, unitPriceMinor: 123_456_789 }];
    const id = await placed('Ana', { currency: 'GBP', items });
    const { pages } = await pdfs.read(Uint8Array.from(await bytesOf(id)));
    expect(pages[0]).toMatch(/1,000,000 1,234,567\.89 1,234,567,890,000\.00\n/);
    expect(pages[0]).toMatch(/Total 1,234,567,890,000\.00\s+GBP/);
    expect(pages[0]).toMatch(new RegExp(`^Invoice ${id} +Page 1 ?of 1`, 'm'));
  });

  it('has a name as it is written, whatever direction marks in it ask for', async () => {
    const [page = ''] = await pagesOf(await placed('Shop \u202eegrahc on\u202c Ltd', { currency: 'NOK', items: [TEA] }));
    expect(page).toContain('Billto:ShopegrahconLtd');
  });

  it('says in the log of its job which characters no font has: boxes stand for them', async () => {
    const storage = files.storage;
    const logged = async (name: string, currency: string) => {
      const context = jobContext(InvoiceRender, { order_id: await placed(name, { currency, items: [TEA, MUG] }) });
      await new InvoiceRenderHandler(storage, new Orders(database)).handle(context);
      return context.lines;
    };
    expect(await logged('தேநீர் தே 🎉', 'DKK')).toEqual([
      {
        level: 'warn',
        message: 'characters that no font has stand as boxes in the document',
        fields: { missing: 7, characters: ['U+0BA4', 'U+0BA8', 'U+0BB0', 'U+0BC0', 'U+0BC7', 'U+0BCD', 'U+1F389'] },
      },
    ]);
    expect(await logged('Ana\u200b 王 नमस्ते مرحبا', 'PLN')).toEqual([]);
  });

  it('of many items goes over several pages, each with the head, and has the total at its end', async () => {
    const items = Array.from({ length: 120 }, (_, nth) => ({
      ...TEA,
      sku: `SKU-${nth}`,
      name: `Thing ${nth}, a long name ${'x'.repeat(60)}`,
    }));
    const pages = await pagesOf(await placed('Ana', { currency: 'USD', items }));
    expect(pages.length).toBeGreaterThan(2);
    for (const [nth, page] of pages.entries()) expect(page).toContain(`Page${nth + 1}of${pages.length}`);
    for (const page of pages) expect(page).toContain('UnitpriceAmount');
    expect(pages.at(-1)).toContain('Total1,080.00USD');
    for (const { sku } of items) expect(pages.join('')).toContain(sku);
  });

  it('is the same to the byte when it is made again, though the customer is called otherwise since', async () => {
    const id = await placed('Ana', { currency: 'CHF', items: [TEA] });
    const first = await bytesOf(id);
    // The same customer, by the e-mail: called otherwise since.
    await placed('Ana Lucía', { currency: 'CHF', items: [TEA] });
    expect(await bytesOf(id)).toEqual(first);
  });

  it('is never made of an order that there is none of or where the storage refuses it, and put off while that cannot be used', async () => {
    await expect(render('01JDVZ8XQ4T4Y8Q7M5K3N2P1R0')).rejects.toMatchObject({ code: 'unknown_order' });
    const id = await placed('Ana', { currency: 'SEK', items: [TEA] });
    const refusing = (error: Error): Storage =>
      Object.assign(Object.create(files.storage) as Storage, { write: () => Promise.reject(error) });
    await expect(render(id, refusing(new StorageRefusedError('No such name.')))).rejects.toThrow(PermanentError);
    await expect(render(id, refusing(new StorageAwayError('Away.', undefined)))).rejects.toThrow(Snooze);
    await expect(render(id, refusing(new UnfitStorageError('No rights.', undefined)))).rejects.toThrow(Snooze);
  });
});
