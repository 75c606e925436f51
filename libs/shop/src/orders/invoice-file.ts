import { parseStorageName, type StorageName } from '@antrean/platform';

/**
 * Where the invoice of an order lies in the storage. It belongs to the order, not to the job that made it, and is kept as long.
 * @param orderId one that an order has.
 */
export function invoiceFile(orderId: string): StorageName {
  return parseStorageName(`orders/${orderId.toLowerCase()}/invoice.pdf`);
}
