import { customers } from './0001-customers.js';
import { orders } from './0002-orders.js';
import { deliveries } from './0003-deliveries.js';
import { outbox } from './0004-outbox.js';
import { imports } from './0005-imports.js';
import { orderFollowUp } from './0006-order-follow-up.js';
import { unreadColumns } from './0007-unread-columns.js';
import { outboxDue } from './0008-outbox-due.js';
import { outboxOrder } from './0009-outbox-order.js';

/**
 * All steps that the tables are made by, in order, each a list of statements that both databases understand. A step that was
 * released is never changed: another one follows it. Rules are named by table and columns, as SQLite names them: `customers_email_key`.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  customers,
  orders,
  deliveries,
  outbox,
  imports,
  orderFollowUp,
  unreadColumns,
  outboxDue,
  outboxOrder,
];

/** Those that the steps make. */
export const TABLES: readonly string[] = MIGRATIONS.flat().flatMap(
  (statement) => /^create table (\w+)/.exec(statement)?.[1] ?? [],
);
