import { amountText, inThousands, priceText, type OrderLine } from '@antrean/shop';
import type { ReportTable } from './report-table.js';

export const orderTable: ReportTable<OrderLine> = {
  title: 'Orders',
  csv: [
    { head: 'id', cell: ({ id }) => id },
    { head: 'created_at', cell: ({ createdAt }) => createdAt },
    { head: 'customer_email', cell: ({ customerEmail }) => customerEmail },
    { head: 'customer_name', cell: ({ customerName }) => customerName },
    { head: 'customer_country', cell: ({ customerCountry }) => customerCountry },
    { head: 'pieces', cell: ({ pieces }) => pieces },
    { head: 'currency', cell: ({ currency }) => currency },
    { head: 'total', cell: ({ totalMinor, currency }) => amountText(totalMinor, currency) },
  ],
  paper: [
    { head: 'Time', share: 5, align: 'left', cell: ({ createdAt }) => createdAt },
    { head: 'Order', share: 7, align: 'left', cell: ({ id }) => id },
    { head: 'Customer', share: 4, align: 'left', cell: ({ customerName }) => customerName },
    { head: 'E-mail', share: 6, align: 'left', cell: ({ customerEmail }) => customerEmail },
    { head: 'Country', share: 2, align: 'left', cell: ({ customerCountry }) => customerCountry },
    { head: 'Pieces', share: 2, align: 'right', cell: ({ pieces }) => inThousands(pieces) },
    { head: 'Total', share: 4, align: 'right', cell: ({ totalMinor, currency }) => priceText(totalMinor, currency) },
  ],
  newTotals: () => {
    let count = 0;
    let allPieces = 0;
    const sums = new Map<string, bigint>();
    return {
      add: ({ totalMinor, currency, pieces }) => {
        count += 1;
        allPieces += pieces;
        sums.set(currency, (sums.get(currency) ?? 0n) + BigInt(totalMinor));
      },
      rows: () => {
        const byCurrency = [...sums].sort(([one], [other]) => (one < other ? -1 : 1));
        const [first = null, ...others] = byCurrency.map(([currency, sum]) => priceText(sum, currency));
        return [
          [`Total: ${inThousands(count)}`, null, null, null, null, inThousands(allPieces), first],
          ...others.map((amount) => [null, null, null, null, null, null, amount]),
        ];
      },
    };
  },
};
