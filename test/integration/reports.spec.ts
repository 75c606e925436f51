import { buffer } from 'node:stream/consumers';
import { ExportGenerate, ReportGenerate } from '@antrean/catalog';
import { StorageAwayError, StorageRefusedError, UnfitStorageError, type Storage } from '@antrean/platform';
import { Customers, Orders, UnfitDatabaseError, type Database } from '@antrean/shop';
import { parse } from 'csv-parse/sync';
import { ExportGenerateHandler } from '../../apps/worker/src/handlers/export-generate/export-generate.handler.js';
import { ReportGenerateHandler } from '../../apps/worker/src/handlers/report-generate/report-generate.handler.js';
import { DocumentFiles, type WrittenDocument } from '../../apps/worker/src/reports/document-files.js';
import { jobContext, type PlainPayload } from '../support/job-context.js';
import { PdfReader } from '../support/pdf-reader.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';
import { folderStorage, type TestStorage } from '../support/stored-files.js';

type ReportPayload = PlainPayload<typeof ReportGenerate>;
type ExportPayload = PlainPayload<typeof ExportGenerate>;

const time = (ms: number) => new Date(ms).toISOString();
const START = Date.UTC(2026, 0, 1);
const DAY = 86_400_000;
const HOSTILE = '=HYPERLINK("http://evil.example")';

const pdfs = new PdfReader();
afterAll(() => pdfs.close());

describe.each(DATABASES)('from %s', (kind) => {
  const databases = testDatabases(kind);
  let files: TestStorage;
  let database: Database;

  beforeEach(async () => {
    files = await folderStorage();
    ({ database } = await databases.migrated());
  });
  afterEach(() => files.remove());

  /** Customers of one day after the other, each with two orders of that day. */
  async function fill(count: number): Promise<void> {
    const days = Array.from({ length: count }, (_, day) => day);
    const id = (day: number) => `c${String(day).padStart(5, '0')}`;
    const customers = days.map((day) => {
      const email = `${id(day)}@example.com`;
      const at = START + day * DAY;
      const name = day === 0 ? HOSTILE : `Zoë "Z", ${day}`;
      return {
        ...{ id: id(day), email, email_key: email, name, created_at: at, updated_at: at + 1 },
        ...{ phone: day === 0 ? null : '+62 21 555', country: day === 0 ? null : 'ID' },
      };
    });
    const orders = customers.flatMap(({ id: customer_id, email, name, country, created_at }) => {
      const order = { customer_id, customer_email: email, customer_name: name, customer_country: country, created_at };
      return [
        { ...order, id: `${customer_id}-a`, currency: 'EUR', total_minor: 12_345 },
        { ...order, id: `${customer_id}-b`, currency: 'JPY', total_minor: 700 },
      ];
    });
    const items = orders.map(({ id: order_id, total_minor }) => ({
      ...{ order_id, position: 1, sku: 'TEA', name: 'Tea', quantity: 2, unit_price_minor: total_minor },
    }));
    await database.transaction(async (transaction) => {
      for (let at = 0; at < count; at += 100) {
        await transaction
          .insertInto('customers')
          .values(customers.slice(at, at + 100))
          .execute();
        await transaction
          .insertInto('orders')
          .values(orders.slice(2 * at, 2 * at + 200))
          .execute();
        await transaction
          .insertInto('order_items')
          .values(items.slice(2 * at, 2 * at + 200))
          .execute();
      }
    });
  }

  function reports(storage: Storage = files.storage): ReportGenerateHandler {
    return new ReportGenerateHandler(new DocumentFiles(storage), new Customers(database), new Orders(database));
  }

  const report = (payload: Partial<ReportPayload>, options: Parameters<typeof jobContext>[2] = {}) =>
    reports().handle(jobContext(ReportGenerate, { report: 'orders', format: 'csv', user_id: 'ana', ...payload }, options));
  const exported = (format: ExportPayload['format']) =>
    new ExportGenerateHandler(new DocumentFiles(files.storage), new Customers(database)).handle(
      jobContext(ExportGenerate, { user_id: 'ana', format }),
    );
  const bytesOf = async ({ file_key }: WrittenDocument) => buffer((await files.storage.read(file_key)).body);
  const textOf = async (written: WrittenDocument) => (await bytesOf(written)).toString();
  const recordsOf = async (written: WrittenDocument): Promise<readonly Record<string, string>[]> =>
    parse(await textOf(written), { columns: true, bom: true });
  /** Readers put blanks where letters stand apart, so it is the letters that are compared. */
  const pagesOf = async (written: WrittenDocument) =>
    (await pdfs.read(Uint8Array.from(await bytesOf(written)))).pages.map((page) => page.replaceAll(/\s+/g, ''));
  const stored = async () => {
    const names: string[] = [];
    for await (const name of files.storage.list()) names.push(name);
    return names;
  };

  describe('a report', () => {
    it('of orders as CSV has a row each, amounts as numbers, and a byte order mark', async () => {
      await fill(2);
      const jobId = 'report.generate_01J8PP1PKH282P1K2YVH454RJD';
      const written = await report({}, { jobId });
      const whole = await textOf(written);
      expect(written).toEqual({
        file_key: 'jobs/report.generate/01j8pp1pkh282p1k2yvh454rjd/orders.csv',
        rows: 4,
        bytes: Buffer.byteLength(whole),
        format: 'csv',
      });
      expect(whole.startsWith('\ufeffid,created_at,')).toBe(true);
      expect((await recordsOf(written))[3]).toEqual({
        id: 'c00001-b',
        created_at: time(START + DAY),
        customer_email: 'c00001@example.com',
        customer_name: 'Zoë "Z", 1',
        customer_country: 'ID',
        pieces: '2',
        currency: 'JPY',
        total: '700',
      });
      expect((await recordsOf(written))[2]).toMatchObject({ currency: 'EUR', total: '123.45' });
    });

    it('of orders has each amount to the last digit, with as many as the currency has', async () => {
      await fill(1);
      const total_minor = Number.MAX_SAFE_INTEGER;
      await database.transaction((transaction) => transaction.updateTable('orders').set({ total_minor }).execute());
      const totals = (await recordsOf(await report({}))).map(({ currency, total }) => `${total ?? ''} ${currency ?? ''}`);
      expect(totals).toEqual(['90071992547409.91 EUR', '9007199254740991 JPY']);
    });

    it('holds what was made from the first moment of its period until before its end', async () => {
      await fill(4);
      const period = { from: time(START + DAY), to: time(START + 3 * DAY) };
      for (const subject of ['orders', 'customers'] as const) {
        const days = (await recordsOf(await report({ report: subject, ...period }))).map((row) => row['created_at']);
        expect([...new Set(days)]).toEqual([time(START + DAY), time(START + 2 * DAY)]);
      }
      expect(await report({ from: time(START + 1) })).toMatchObject({ rows: 6 });
      expect(await report({ to: time(START) })).toMatchObject({ rows: 0 });
    });

    it('of an empty period has its head, as CSV and as PDF', async () => {
      const csv = await report({ report: 'customers' });
      expect(await textOf(csv)).toBe('\ufeffid,email,name,phone,country,created_at,updated_at\r\n');
      const [page, ...more] = await pagesOf(await report({ report: 'customers', format: 'pdf' }));
      expect(more).toEqual([]);
      expect(page).toMatch(/^CustomersFromthebeginning.*Page1of1/);
      expect(page).toContain('Total:0');
    });

    it('leaves no formula in a cell of a spreadsheet', async () => {
      await fill(1);
      const [row] = await recordsOf(await report({ report: 'customers' }));
      expect(row).toMatchObject({ name: `'${HOSTILE}`, phone: '' });
    });

    it('as PDF has title, period, all rows, pages that are counted, and a sum for each currency', async () => {
      await fill(40);
      const written = await report({ format: 'pdf', from: time(START), to: time(START + 40 * DAY) });
      expect(written).toMatchObject({ rows: 80, format: 'pdf' });
      const pages = await pagesOf(written);
      expect(pages.length).toBeGreaterThan(1);
      expect(pages[0]).toContain(`OrdersFrom${time(START)}untilbefore${time(START + 40 * DAY)}`);
      for (const [index, page] of pages.entries()) {
        expect(page).toContain('TimeOrderCustomerE-mailCountryPiecesTotal');
        expect(page).toContain(`Page${index + 1}of${pages.length}`);
      }
      const all = pages.join('');
      for (let day = 0; day < 40; day += 1) expect(all).toContain(`c${String(day).padStart(5, '0')}-b`);
      expect(all).toContain('123.45EUR');
      expect(pages.at(-1)).toMatch(/Total:80.*4,938\.00EUR.*28,000JPY/);
    });

    it('tells how far it is, and leaves no file when its signal fires', async () => {
      await fill(1_500);
      const cut = new AbortController();
      const told: unknown[] = [];
      const options = {
        signal: cut.signal,
        progress: (...progress: readonly unknown[]) => {
          told.push(progress);
          cut.abort(new Error('cut off'));
        },
      };
      await expect(report({ to: time(START + 1_500 * DAY) }, options)).rejects.toThrow('cut off');
      expect(told).toEqual([[expect.closeTo(33.3, 0), '1000 rows written', { rows: 1_000 }]]);
      expect(await stored()).toEqual([]);
      expect(await files.leftovers()).toEqual([]);
    });
  });

  describe('an export', () => {
    it('has all customers with all their fields, as JSON and as CSV', async () => {
      await fill(2);
      const json = await exported('json');
      expect(json).toMatchObject({ rows: 2, format: 'json' });
      const customers = JSON.parse(await textOf(json)) as readonly Record<string, unknown>[]; // It is looked at below.
      expect(customers).toEqual([
        expect.objectContaining({ email: 'c00000@example.com', name: HOSTILE, phone: null, country: null }),
        {
          id: 'c00001',
          email: 'c00001@example.com',
          name: 'Zoë "Z", 1',
          phone: '+62 21 555',
          country: 'ID',
          created_at: time(START + DAY),
          updated_at: time(START + DAY + 1),
        },
      ]);
      const csv = await recordsOf(await exported('csv'));
      expect(csv[1]).toEqual({ ...customers[1], phone: "'+62 21 555" });
    });

    it('as PDF is one that readers read', async () => {
      await fill(2);
      const [page] = await pagesOf(await exported('pdf'));
      expect(page).toContain('c00001@example.com');
      expect(page).toContain('Total:2');
    });
  });

  it('is put off while the storage or the database cannot be used, and buried when the storage refuses it', async () => {
    const throwing = (error: Error): Storage =>
      Object.assign(Object.create(files.storage) as Storage, { write: () => Promise.reject(error) }); // It is made from one.
    const failed = (error: Error) =>
      reports(throwing(error))
        .handle(jobContext(ReportGenerate, { report: 'orders', format: 'csv', user_id: 'ana' }))
        .catch((thrown: unknown) => thrown);
    const refused = new StorageRefusedError('it is too large.');
    expect(await failed(refused)).toMatchObject({ name: 'PermanentError', code: 'storage_refused', message: refused.message });
    expect(await failed(new UnfitDatabaseError('No.'))).toMatchObject({ name: 'Snooze', message: 'No.' });
    for (const passing of [new StorageAwayError('No answer.', undefined), new UnfitStorageError('No rights.', undefined)]) {
      expect(await failed(passing)).toMatchObject({ name: 'Snooze', message: passing.message, delayMs: 15_000 });
    }
    const other = new Error('Ha');
    expect(await failed(other)).toBe(other);
  });
});
