import type { Generated } from 'kysely';

/**
 * The tables, as `migrations/` makes them. Times are ms since 1970 by the database's clock, amounts the smallest unit of their
 * currency, ids ULIDs unless said otherwise; both databases hold them as whole numbers and text.
 */
export interface ShopTables {
  customers: CustomersTable;
  orders: OrdersTable;
  order_items: OrderItemsTable;
  order_jobs: OrderJobsTable;
  order_requests: OrderRequestsTable;
  deliveries: DeliveriesTable;
  outbox: OutboxTable;
  imports: ImportsTable;
  import_rejects: ImportRejectsTable;
  shop_migrations: ShopMigrationsTable;
}

export interface CustomersTable {
  id: string;
  /** As it was written. */
  email: string;
  /** The same in lower case: what makes it one customer. */
  email_key: string;
  name: string;
  phone: string | null;
  /** ISO 3166-1 alpha-2. */
  country: string | null;
  created_at: number;
  updated_at: number;
}

export interface OrdersTable {
  id: string;
  customer_id: string;
  /** What the customer was called when they ordered, whatever becomes of them: this and the next two. */
  customer_email: string;
  customer_name: string;
  customer_country: string | null;
  /** ISO 4217. */
  currency: string;
  total_minor: number;
  created_at: number;
}

export interface OrderItemsTable {
  order_id: string;
  /** From 1. */
  position: number;
  sku: string;
  name: string;
  quantity: number;
  unit_price_minor: number;
}

export interface OrderJobsTable {
  order_id: string;
  type: string;
  job_id: string;
  status: string;
  /** JSON. */
  result: string | null;
  error: string | null;
  error_code: string | null;
  finished_at: number | null;
  /** When the queue is to be asked what became of it; null when there is no more to learn. */
  check_at: Generated<number | null>;
  /** How often it was asked. */
  checks: Generated<number>;
}

export interface OrderRequestsTable {
  key: string;
  body_hash: string;
  order_id: string;
  expires_at: number;
}

export interface DeliveriesTable {
  /** See `Delivery.id`. */
  id: string;
  /** `failed` stands for no mark: the run that had it is over. */
  state: 'sending' | 'sent' | 'failed';
  run: string;
  job_id: string;
  message_id: string;
  /** 1: an earlier run may have sent the mail. */
  unknown: number;
  at: number;
}

export interface OutboxTable {
  id: string;
  job_id: string;
  type: string;
  /** Whoever adds it says in what form. */
  job: string;
  created_at: number;
  /** Until then nobody else takes it. */
  taken_until: number;
}

export interface ImportsTable {
  job_id: string;
  /** The entity tag of the file as it was when the import began. */
  file_tag: string;
  /** JSON, written and read by the importer; null at the start. */
  place: string | null;
  bytes_read: number;
  bytes_total: number;
  /** Records read so far; those below add up to it. */
  read: number;
  imported: number;
  updated: number;
  rejected: number;
  finished_at: number | null;
}

export interface ImportRejectsTable {
  job_id: string;
  /** Counts the rejects of a job from 1. */
  number: number;
  line: number;
  /** The header's name; null when the fault is that of the whole row. */
  column_name: string | null;
  reason: string;
  /** As it stands in the file. */
  row_text: string;
}

export interface ShopMigrationsTable {
  version: number;
  applied_at: number;
}
