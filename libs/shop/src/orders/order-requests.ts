import { Injectable } from '@nestjs/common';
import { sql } from 'kysely';
import { Database, type ShopTransaction } from '../database/database.js';
import { newId } from '../database/new-id.js';

/** A request that may come again. */
interface OrderRequest {
  /** Names it, and whose it is. */
  readonly key: string;
  /** Equal for two that ask for the same. */
  readonly bodyHash: string;
}

/** `new`: the order of that id is to be written now. `answered`: it was. `other`: it was, and another one was asked for. */
export interface OrderClaim {
  readonly kind: 'new' | 'answered' | 'other';
  readonly orderId: string;
}

/** How long a request is remembered, in ms. */
const KEPT_MS = 86_400_000;
/** Those that are too old go with each that is new, so that there are never more than there is need of. */
const SWEPT_AT_ONCE = 10;

/** Which requests have brought an order: of those that are the same, and come at once or one after the other, one does. */
@Injectable()
export class OrderRequests {
  constructor(private readonly database: Database) {}

  /** Claims a request in the transaction that is to write its order. One that comes meanwhile waits for the end of that. */
  async claim(transaction: ShopTransaction, { key, bodyHash }: OrderRequest): Promise<OrderClaim> {
    const { now } = this.database.engine;
    const orderId = newId();
    const claimed = await transaction
      .insertInto('order_requests')
      .values({ key, body_hash: bodyHash, order_id: orderId, expires_at: sql<number>`${now} + ${KEPT_MS}` })
      .onConflict((conflict) =>
        conflict
          .column('key')
          .doUpdateSet((eb) => ({
            body_hash: eb.ref('excluded.body_hash'),
            order_id: eb.ref('excluded.order_id'),
            expires_at: eb.ref('excluded.expires_at'),
          }))
          .where('order_requests.expires_at', '<=', now),
      )
      .returning('key')
      .executeTakeFirst();
    if (claimed !== undefined) {
      await this.sweep(transaction);
      return { kind: 'new', orderId };
    }
    const known = await transaction
      .selectFrom('order_requests')
      .select(['body_hash', 'order_id'])
      .where('key', '=', key)
      .executeTakeFirstOrThrow();
    return { kind: known.body_hash === bodyHash ? 'answered' : 'other', orderId: known.order_id };
  }

  private async sweep(transaction: ShopTransaction): Promise<void> {
    const { now, forUpdateSkipLocked } = this.database.engine;
    await transaction
      .deleteFrom('order_requests')
      .where('key', 'in', (eb) =>
        eb
          .selectFrom('order_requests')
          .select('key')
          .where('expires_at', '<=', now)
          .limit(SWEPT_AT_ONCE)
          .modifyEnd(forUpdateSkipLocked),
      )
      .execute();
  }
}
