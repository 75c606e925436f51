import { amountText, inThousands, priceText, type Order, type OrderCustomer } from '@antrean/shop';
import type { PdfTable } from '../../documents/pdf/pdf-table.js';

/** The invoice of an order: its items, each with its price and what it comes to. Made again it is the same to the byte. */
export function invoiceOf({ id, createdAt, currency, items, totalMinor, customer }: Order): PdfTable {
  const rows = items.map(({ sku, name, quantity, unitPriceMinor }, index) => [
    index + 1,
    name,
    sku,
    inThousands(quantity),
    inThousands(amountText(unitPriceMinor, currency)),
    inThousands(amountText(BigInt(quantity) * BigInt(unitPriceMinor), currency)),
  ]);
  return {
    title: `Invoice ${id}`,
    details: [`Date: ${createdAt.toISOString().slice(0, 10)}`, ...addressee(customer), `All amounts in ${currency}`],
    lang: 'en',
    createdAt,
    layout: 'portrait',
    columns: [
      { head: 'No.', share: 2, align: 'right' },
      { head: 'Item', share: 10, align: 'left' },
      { head: 'SKU', share: 4, align: 'left' },
      { head: 'Quantity', share: 3, align: 'right' },
      { head: 'Unit price', share: 5, align: 'right' },
      { head: 'Amount', share: 6, align: 'right' },
    ],
    rows,
    totals: () => [['', 'Total', null, null, null, priceText(totalMinor, currency)]],
  };
}

/** A line for each part: what is written from right to left turns no other around. */
function addressee({ name, email, country }: OrderCustomer): readonly string[] {
  const [first = '', ...others] = [name, email, country ?? ''].filter((part) => part !== '');
  return [`Bill to: ${first}`, ...others];
}
