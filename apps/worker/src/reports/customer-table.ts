import { inThousands, type Customer } from '@antrean/shop';
import type { ReportTable } from './report-table.js';

export const customerTable: ReportTable<Customer> = {
  title: 'Customers',
  csv: [
    { head: 'id', cell: ({ id }) => id },
    { head: 'email', cell: ({ email }) => email },
    { head: 'name', cell: ({ name }) => name },
    { head: 'phone', cell: ({ phone }) => phone },
    { head: 'country', cell: ({ country }) => country },
    { head: 'created_at', cell: ({ createdAt }) => createdAt },
    { head: 'updated_at', cell: ({ updatedAt }) => updatedAt },
  ],
  paper: [
    { head: 'Since', share: 4, align: 'left', cell: ({ createdAt }) => createdAt },
    { head: 'Name', share: 5, align: 'left', cell: ({ name }) => name },
    { head: 'E-mail', share: 6, align: 'left', cell: ({ email }) => email },
    { head: 'Phone', share: 3, align: 'left', cell: ({ phone }) => phone },
    { head: 'Country', share: 2, align: 'left', cell: ({ country }) => country },
    { head: 'Last change', share: 4, align: 'left', cell: ({ updatedAt }) => updatedAt },
  ],
  newTotals: () => {
    let count = 0;
    return {
      add: () => (count += 1),
      rows: () => [[`Total: ${inThousands(count)}`, null, null, null, null, null]],
    };
  },
};

/** All fields of a customer, as JSON has them. */
export function customerJson({ id, email, name, phone, country, createdAt, updatedAt }: Customer): object {
  return { id, email, name, phone, country, created_at: createdAt, updated_at: updatedAt };
}
