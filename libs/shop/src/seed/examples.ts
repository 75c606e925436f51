import type { CustomersTable, OrderItemsTable, OrdersTable } from '../database/tables.js';

type ExampleCustomer = Omit<CustomersTable, 'id'>;
interface ExampleOrder<Customer> extends Pick<OrdersTable, 'currency' | 'created_at'> {
  readonly customer: Customer;
  readonly items: readonly Pick<OrderItemsTable, 'sku' | 'name' | 'quantity' | 'unit_price_minor'>[];
}

const CUSTOMERS = 240;
const ORDERS = 900;
const DAY_MS = 86_400_000;
/** Orders of half a year, by customers who came before that. */
const ORDER_DAYS = 180;
const CUSTOMER_DAYS = 400;

/** By country: given names, family names, the currency that people pay in there, and its dialling code. */
const PEOPLE = [
  {
    country: 'ID',
    currency: 'IDR',
    code: '62',
    given: ['Budi', 'Siti', 'Dewi', 'Agus', 'Rina'],
    family: ['Santoso', 'Wijaya', 'Lestari'],
  },
  {
    country: 'DE',
    currency: 'EUR',
    code: '49',
    given: ['Jürgen', 'Käthe', 'Sören', 'Anna'],
    family: ['Müller', 'Groß', 'Schäfer'],
  },
  { country: 'GR', currency: 'EUR', code: '30', given: ['Ελένη', 'Γιώργος', 'Μαρία'], family: ['Παπαδοπούλου', 'Νικολάου'] },
  { country: 'UA', currency: 'UAH', code: '380', given: ['Олена', 'Тарас', 'Їжак'], family: ['Шевченко', 'Коваль'] },
  { country: 'JP', currency: 'JPY', code: '81', given: ['さくら', '健', '美咲'], family: ['田中', '佐藤'] },
  { country: 'CN', currency: 'CNY', code: '86', given: ['伟', '芳', '小明'], family: ['王', '李'] },
  { country: 'KR', currency: 'KRW', code: '82', given: ['서연', '민준'], family: ['김', '이'] },
  { country: 'EG', currency: 'EGP', code: '20', given: ['أمل', 'يوسف'], family: ['حسن', 'عبد الله'] },
  { country: 'IL', currency: 'ILS', code: '972', given: ['נועה', 'דוד'], family: ['כהן', 'לוי'] },
  { country: 'IN', currency: 'INR', code: '91', given: ['अनीता', 'राज'], family: ['शर्मा', 'वर्मा'] },
  { country: 'TH', currency: 'THB', code: '66', given: ['สมชาย', 'มาลี'], family: ['ใจดี', 'สุขใจ'] },
  {
    country: 'US',
    currency: 'USD',
    code: '1',
    given: ['Ada', 'Grace', "D'Arcy", 'Zoë'],
    family: ['Lovelace', 'Hopper', 'O’Neil'],
  },
] as const;

/** Prices in the smallest unit of any currency: it is an example. */
const GOODS = [
  { sku: 'TEA-01', name: 'Jasmine tea, 250 g', unit_price_minor: 890 },
  { sku: 'MUG-02', name: 'Mug "Morning"', unit_price_minor: 1_450 },
  { sku: 'BOOK-03', name: 'Notebook, A5; ruled', unit_price_minor: 720 },
  { sku: 'LAMP-04', name: 'Desk lamp', unit_price_minor: 4_990 },
  { sku: 'BAG-05', name: 'Canvas bag', unit_price_minor: 2_300 },
  { sku: 'PEN-06', name: 'Stylo à plume', unit_price_minor: 3_150 },
] as const;

export function exampleCustomers(now: number): readonly ExampleCustomer[] {
  const random = randomNumbers(1);
  return Array.from({ length: CUSTOMERS }, (_, index) => {
    const { country, code, given, family } = pick(PEOPLE, random);
    const email = `customer-${String(index + 1).padStart(3, '0')}@example.com`;
    const created_at = now - Math.floor((ORDER_DAYS + random() * (CUSTOMER_DAYS - ORDER_DAYS)) * DAY_MS);
    const phone = random() < 0.7 ? `+${code}${Math.floor(1e8 + random() * 9e8)}` : null;
    return {
      email,
      email_key: email,
      name: `${pick(given, random)} ${pick(family, random)}`,
      phone,
      country,
      created_at,
      updated_at: created_at,
    };
  });
}

/** @param customers who may have ordered. */
export function exampleOrders<Customer>(now: number, customers: readonly Customer[]): readonly ExampleOrder<Customer>[] {
  const random = randomNumbers(2);
  return Array.from({ length: ORDERS }, (_, index) => ({
    customer: pick(customers, random),
    currency: pick(PEOPLE, random).currency,
    // More of them the nearer to now, and in their order.
    created_at: now - Math.floor((1 - Math.sqrt((index + random()) / ORDERS)) * ORDER_DAYS * DAY_MS),
    items: GOODS.filter(() => random() < 0.35).map((good) => ({ ...good, quantity: 1 + Math.floor(random() * 4) })),
  })).filter(({ items }) => items.length > 0);
}

function pick<T>(from: readonly T[], random: () => number): T {
  // Such an index is always within it, unless it is empty.
  return from[Math.floor(random() * from.length)] as T;
}

/** The same numbers from 0 up to 1 for the same seed, in the way of mulberry32. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
