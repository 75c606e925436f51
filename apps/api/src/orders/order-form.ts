import type { NewOrder, OrderItem } from '@antrean/shop';
import { checkBody, invalidFields } from '../http/body-faults.js';
import { isPlainObject } from '../http/body-rules.js';
import { toPointer } from '../http/json-pointer.js';
import type { Fault } from '../http/problem-error.js';
import { MOST_ITEMS, OrderBody, OrderItemBody } from './order.body.js';

/** What no JSON number beyond it says exactly. */
const MOST = BigInt(Number.MAX_SAFE_INTEGER);

/**
 * The order that a body asks for. Whether there is such a customer is still open.
 * @param defaultCurrency where the body names none.
 * @throws {ProblemError} `invalid_request`, with every fault there is.
 */
export function parseOrder(object: object, defaultCurrency: string): NewOrder {
  const { body, faults } = checkBody(OrderBody, object, []);
  const given: readonly unknown[] = Array.isArray(body.items) ? body.items : [];
  const items = given.slice(0, MOST_ITEMS).map(checkItem);
  const all = [...faults, ...items.flatMap((item) => item.faults)];
  if (all.length > 0) throw invalidFields(all);
  const { customer_id: customerId, currency = defaultCurrency } = body;
  const order = { customerId, currency, items: items.map((item) => item.item) };
  if (totalOf(order) > MOST) {
    throw invalidFields([{ pointer: '#/items', detail: `items must come to at most ${MOST} together` }]);
  }
  return order;
}

function checkItem(value: unknown, index: number): { readonly item: OrderItem; readonly faults: readonly Fault[] } {
  const place = ['items', String(index)];
  const { body, faults } = checkBody(OrderItemBody, isPlainObject(value) ? value : {}, place);
  const { sku, name, quantity, unit_price_minor: unitPriceMinor } = body;
  const item = { sku, name, quantity, unitPriceMinor };
  return isPlainObject(value) ? { item, faults } : { item, faults: [{ pointer: toPointer(place), detail: 'must be an object' }] };
}

function totalOf({ items }: Pick<NewOrder, 'items'>): bigint {
  return items.reduce((sum, { quantity, unitPriceMinor }) => sum + BigInt(quantity) * BigInt(unitPriceMinor), 0n);
}
