import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { OrderLine } from '@antrean/shop';
import { PdfReader } from '../../../../test/support/pdf-reader.js';
import { MissingCharacters } from '../documents/missing-characters.js';
import { orderTable } from './order-table.js';
import { pdfOf } from './report-document.js';

const reader = new PdfReader();

afterAll(() => reader.close());

function order(currency: string, nth: number): OrderLine {
  const customer = { customerEmail: 'ana@b.example', customerName: 'Ana', customerCountry: null };
  return { id: String(nth), createdAt: new Date(nth), ...customer, currency, totalMinor: 100 * nth, pieces: 1 };
}

describe('orders on paper', () => {
  it('have a sum for each currency, though no page has room for all of them', async () => {
    const currencies = Array.from('ABCDEFGHIJKL', (first) => Array.from('ABCDEFGHIJ', (last) => `${first}X${last}`)).flat();
    const rows: AsyncIterable<OrderLine> = Readable.from(currencies.map(order));
    const bytes = await buffer(pdfOf(orderTable, rows, 'All', new MissingCharacters()));
    const { pages } = await reader.read(Uint8Array.from(bytes));
    const [, totals = ''] = pages.join('\n').split('Total: 120');
    expect(totals.match(/\d+\.00 [A-Z]{3}\b/g)).toEqual(currencies.map((currency, nth) => `${nth}.00 ${currency}`));
  });
});
