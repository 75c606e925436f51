import { IfGiven, IsText, IsWhole, Rule, isText } from '../http/body-rules.js';

export const MOST_ITEMS = 500;
const QUANTITY = { min: 1, max: 1_000_000 };
const UNIT_PRICE = { min: 0, max: 1_000_000_000_000 };
// eslint-disable-next-line no-control-regex -- control characters are what it looks for; `\p{Cc}` is unknown to many readers of JSON schemas
const LINE = /^(?=.*[^\s\u00ad\u200b-\u200f\u2060-\u206f])[^\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]*$/;
const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** It stands in mails and on paper, where one that turns the direction of writing would turn what stands behind it. */
const IsLine = (max: number, description: string) =>
  Rule(
    `must be a string of 1 to ${max} characters, not only ones that are not seen, without line breaks, control characters and those that turn the direction of writing`,
    (value) => isText(value, { min: 1, max }) && LINE.test(value),
    { type: 'string', minLength: 1, maxLength: max, pattern: LINE.source, description },
  );

/** One line of an order. */
export class OrderItemBody {
  @IsLine(64, 'What it is called in the stock.')
  readonly sku!: string;

  @IsLine(200, 'What people call it.')
  readonly name!: string;

  @IsWhole(QUANTITY, {})
  readonly quantity!: number;

  @IsWhole(UNIT_PRICE, { description: 'Of one piece, in the smallest unit of the currency: 450 are 4.50 EUR, or 450 JPY.' })
  readonly unit_price_minor!: number;
}

/** The body of `POST /orders`. Its items are checked one by one. */
export class OrderBody {
  @IsText({ min: 1, max: 64 }, { description: 'Of a customer that is known.' })
  readonly customer_id!: string;

  @IfGiven()
  @Rule('must be the code of a currency (ISO 4217), such as EUR', (value) => typeof value === 'string' && CURRENCIES.has(value), {
    type: 'string',
    pattern: '^[A-Z]{3}$',
    description: 'ISO 4217. Default: `ORDER_CURRENCY` of the api.',
  })
  readonly currency?: string;

  @Rule(
    `must be a list of 1 to ${MOST_ITEMS} items`,
    (value) => Array.isArray(value) && value.length >= 1 && value.length <= MOST_ITEMS,
    { type: 'array', items: { $ref: '#/components/schemas/OrderItemBody' }, minItems: 1, maxItems: MOST_ITEMS },
  )
  readonly items!: readonly unknown[];
}
