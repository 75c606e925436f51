import type { Job, JobStatus } from '@antrean/jobs';
import type { Selectable } from 'kysely';
import type { Customer } from '../customers/customers.js';
import type { OrderItemsTable, OrderJobsTable, OrdersTable } from '../database/tables.js';

export interface OrderItem {
  readonly sku: string;
  readonly name: string;
  /** From 1. */
  readonly quantity: number;
  /** In the smallest unit of the order's currency. */
  readonly unitPriceMinor: number;
}

export interface NewOrder {
  /** Of whoever knows it before: one of {@link OrderRequests}. */
  readonly id?: string;
  readonly customerId: string;
  /** ISO 4217. */
  readonly currency: string;
  readonly items: readonly OrderItem[];
}

/** `lost`: the queue does not have it any more, and how it ended was not learnt before. */
export type OrderJobStatus = JobStatus | 'lost';

/** A job that an order brought with it. */
export interface OrderJob {
  readonly type: string;
  readonly jobId: string;
  /** As last told; `queued` at first. */
  readonly status: OrderJobStatus;
  /** What its handler returned; any JSON. */
  readonly result: unknown;
  readonly error: string | null;
  readonly errorCode: string | null;
  readonly finishedAt: Date | null;
}

/** Who ordered, as they were called then: it is not changed by what is told of them later. */
export type OrderCustomer = Pick<Customer, 'email' | 'name' | 'country'>;

export interface Order extends NewOrder {
  readonly id: string;
  readonly customer: OrderCustomer;
  readonly totalMinor: number;
  readonly createdAt: Date;
  readonly jobs: readonly OrderJob[];
}

/** An order as a line of a table. */
export interface OrderLine {
  readonly id: string;
  readonly createdAt: Date;
  /** The customer as in {@link OrderCustomer}: this and the next two. */
  readonly customerEmail: string;
  readonly customerName: string;
  readonly customerCountry: string | null;
  readonly currency: string;
  readonly totalMinor: number;
  /** The quantities of its items together. */
  readonly pieces: number;
}

/** A row of the query behind {@link OrderLine}. */
export interface OrderRow extends Omit<OrdersTable, 'customer_id'> {
  readonly pieces: number | null;
}

export function lineOf(row: OrderRow): OrderLine {
  return {
    id: row.id,
    createdAt: new Date(row.created_at),
    customerEmail: row.customer_email,
    customerName: row.customer_name,
    customerCountry: row.customer_country,
    currency: row.currency,
    totalMinor: row.total_minor,
    pieces: row.pieces ?? 0,
  };
}

export function itemOf({ sku, name, quantity, unit_price_minor }: OrderItemsTable): OrderItem {
  return { sku, name, quantity, unitPriceMinor: unit_price_minor };
}

/** As every job of an order begins. */
export function newOrderJob(type: string, jobId: string): OrderJob {
  return { type, jobId, status: 'queued', result: null, error: null, errorCode: null, finishedAt: null };
}

/** As the queue tells it, in whatever state. */
export function orderJobFromQueue({ type, jobId, status, result, error, finishedAt }: Job): OrderJob {
  return { type, jobId, status, result, error: error?.message ?? null, errorCode: error?.code ?? null, finishedAt };
}

export function jobOf({ type, job_id, status, result, error, error_code, finished_at }: Selectable<OrderJobsTable>): OrderJob {
  return {
    type,
    jobId: job_id,
    // Nobody else writes it.
    status: status as OrderJobStatus,
    result: result === null ? null : (JSON.parse(result) as unknown),
    error,
    errorCode: error_code,
    finishedAt: finished_at === null ? null : new Date(finished_at),
  };
}
