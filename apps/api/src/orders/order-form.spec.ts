import { ProblemError } from '../http/problem-error.js';
import { parseOrder } from './order-form.js';

const TEA = { sku: 'TEA-01', name: 'Jasmine tea', quantity: 2, unit_price_minor: 450 };
const order = { customer_id: 'ana', items: [TEA] };
const PRICE = 1_000_000_000_000;

function faultsOf(body: object): readonly unknown[] {
  try {
    parseOrder(body, 'EUR');
    return [];
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
    expect(error.code).toBe('invalid_request');
    return error.errors.map(({ pointer }) => pointer);
  }
}

describe('the body of an order', () => {
  it('is read, with the currency of the shop where it names none', () => {
    const items = [{ sku: 'TEA-01', name: 'Jasmine tea', quantity: 2, unitPriceMinor: 450 }];
    expect(parseOrder(order, 'EUR')).toEqual({ customerId: 'ana', currency: 'EUR', items });
    expect(parseOrder({ ...order, currency: 'JPY' }, 'EUR')).toEqual({ customerId: 'ana', currency: 'JPY', items });
  });

  it.each<readonly [string, object]>([
    ['free things', { ...TEA, unit_price_minor: 0 }],
    ['a name in any script', { ...TEA, name: 'أمل さくら 🎉' }],
    ['as many as may be', { ...TEA, quantity: 1_000_000, unit_price_minor: 9_007_199_254 }],
  ])('may have %s', (_what, item) => {
    expect(faultsOf({ ...order, items: [item] })).toEqual([]);
  });

  it.each<readonly [string, object]>([
    ['#/customer_id', { items: [TEA] }],
    ['#/customer_id', { ...order, customer_id: '' }],
    ['#/customer_id', { ...order, customer_id: 'x'.repeat(65) }],
    ['#/currency', { ...order, currency: 'eur' }],
    ['#/currency', { ...order, currency: 'XXZ' }],
    ['#/currency', { ...order, currency: null }],
    ['#/items', { customer_id: 'ana' }],
    ['#/items', { ...order, items: [] }],
    ['#/items', { ...order, items: {} }],
    ['#/items', { ...order, items: Array.from({ length: 501 }, () => TEA) }],
    ['#/total', { ...order, total: 5 }],
    ['#/items/1', { ...order, items: [TEA, 'tea'] }],
    ['#/items/0/price', { ...order, items: [{ ...TEA, price: 5 }] }],
    ['#/items/0/sku', { ...order, items: [{ ...TEA, sku: 'x'.repeat(65) }] }],
    ['#/items/0/name', { ...order, items: [{ ...TEA, name: 'two\nlines' }] }],
    ...['', ' ', '\u00a0', 'moc.elpmaxe\u202e', '\u2067tea'].map(
      (name) => ['#/items/0/name', { ...order, items: [{ ...TEA, name }] }] as const,
    ),
    ...[0, 1.5, '2', 1_000_001, -1].map(
      (quantity) => ['#/items/0/quantity', { ...order, items: [{ ...TEA, quantity }] }] as const,
    ),
    ...[-1, 0.5, PRICE + 1, null].map(
      (unit_price_minor) => ['#/items/0/unit_price_minor', { ...order, items: [{ ...TEA, unit_price_minor }] }] as const,
    ),
  ])('is refused with the place: %s', (pointer, body) => {
    expect(faultsOf(body)).toEqual([pointer]);
  });

  it('is refused with all that is wrong at once', () => {
    const items = [
      { ...TEA, quantity: 0 },
      { ...TEA, sku: '', name: 7 },
    ];
    expect(faultsOf({ currency: 'euro', items })).toEqual([
      '#/customer_id',
      '#/currency',
      '#/items/0/quantity',
      '#/items/1/sku',
      '#/items/1/name',
    ]);
  });

  it('is refused when it comes to more than a JSON number says exactly', () => {
    expect(faultsOf({ ...order, items: [{ ...TEA, quantity: 9_008, unit_price_minor: PRICE }] })).toEqual(['#/items']);
    expect(faultsOf({ ...order, items: [{ ...TEA, quantity: 9_007, unit_price_minor: PRICE }] })).toEqual([]);
  });
});
