import { amountText, priceText } from './amount.js';

describe('an amount', () => {
  it.each([
    [12_345, 'EUR', '123.45', '123.45 EUR'],
    [5, 'USD', '0.05', '0.05 USD'],
    [-5, 'USD', '-0.05', '-0.05 USD'],
    [-123_456, 'USD', '-1234.56', '-1,234.56 USD'],
    [0, 'IDR', '0.00', '0.00 IDR'],
    [12_345, 'JPY', '12345', '12,345 JPY'],
    [1_234, 'KWD', '1.234', '1.234 KWD'],
    [99_999_999, 'CLF', '9999.9999', '9,999.9999 CLF'],
    [9_007_199_254_740_993_123n, 'EUR', '90071992547409931.23', '90,071,992,547,409,931.23 EUR'],
  ])('of %d in the smallest unit of %s is written exactly', (minor, currency, amount, price) => {
    expect(amountText(minor, currency)).toBe(amount);
    expect(priceText(minor, currency)).toBe(price);
  });
});
