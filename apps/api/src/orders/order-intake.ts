import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import {
  Database,
  DatabaseAwayError,
  OrderRequests,
  Orders,
  newOrderJob,
  type NewOrder,
  type Order,
  type OrderClaim,
  type OrderJob,
  type ShopTransaction,
} from '@antrean/shop';
import { RETRY_AFTER } from '../http/as-problem.js';
import { ProblemError } from '../http/problem-error.js';
import { originOf } from '../jobs/job-submitter.js';
import type { SubmitRequest } from '../jobs/submit-request.js';
import { OrderJobs } from './order-jobs.js';
import { OrderKeyReusedError } from './order-key-reused-error.js';

export interface TakenOrder {
  /** As it was when it was taken: of a repeat, too. */
  readonly order: Order;
  /** It was taken before, by a request with the same key. */
  readonly repeated: boolean;
}

type Request = Pick<SubmitRequest, 'context' | 'onceKey'>;

/** Takes orders: the order, its jobs and what is to be answered to a repeat are written in one transaction. It needs no Redis. */
@Injectable()
export class OrderIntake {
  constructor(
    private readonly database: Database,
    private readonly orders: Orders,
    private readonly requests: OrderRequests,
    private readonly jobs: OrderJobs,
  ) {}

  /**
   * @throws {@link UnknownCustomerError} {@link OrderKeyReusedError} nothing was written
   * @throws {ProblemError} `database_unavailable`: the order may have been stored
   */
  async take(form: NewOrder, request: Request): Promise<TakenOrder> {
    try {
      return await this.database.transaction((transaction) => this.within(transaction, form, request));
    } catch (error) {
      throw error instanceof DatabaseAwayError ? unavailable(error, request) : error;
    }
  }

  private async within(transaction: ShopTransaction, form: NewOrder, { context, onceKey }: Request): Promise<TakenOrder> {
    const claim = onceKey && (await this.requests.claim(transaction, { key: onceKey, bodyHash: hashOf(form) }));
    if (claim && claim.kind !== 'new') return this.repeated(transaction, claim);
    const id = await this.orders.add(transaction, claim ? { ...form, id: claim.orderId } : form);
    await this.jobs.add(transaction, await this.read(transaction, id), originOf(context));
    return { order: await this.read(transaction, id), repeated: false };
  }

  private async repeated(transaction: ShopTransaction, { kind, orderId }: OrderClaim): Promise<TakenOrder> {
    if (kind === 'other') throw new OrderKeyReusedError(orderId);
    const order = await this.read(transaction, orderId);
    return { order: { ...order, jobs: order.jobs.map(asAtFirst) }, repeated: true };
  }

  private async read(transaction: ShopTransaction, id: string): Promise<Order> {
    const order = await this.orders.get(id, transaction);
    if (order === undefined) throw new Error(`The order ${id} is not there, though this transaction knows of it.`);
    return order;
  }
}

/** The status is what every job of an order begins with. */
function asAtFirst({ type, jobId }: OrderJob): OrderJob {
  return newOrderJob(type, jobId);
}

/** However the body was written. */
function hashOf({ customerId, currency, items }: NewOrder): string {
  const lines = items.map(({ sku, name, quantity, unitPriceMinor }) => [sku, name, quantity, unitPriceMinor]);
  return createHash('sha256')
    .update(JSON.stringify([customerId, currency, lines]))
    .digest('hex');
}

function unavailable(cause: DatabaseAwayError, { onceKey }: Request): ProblemError {
  const advice =
    onceKey === undefined
      ? 'it may have been stored. With an Idempotency-Key a request can be sent again without fear of a second order.'
      : 'send the request again with the same Idempotency-Key.';
  return new ProblemError('database_unavailable', `${cause.message} Whether the order was stored is not known: ${advice}`, {
    headers: RETRY_AFTER,
    cause,
  });
}
