import { amountText, priceText } from './amount.js';

describe('an amount', () => {
  it.each([
    [12_345, 'EUR', '123.45'],
    [5, 'USD', '0.05'],
    [-5, 'USD', '-0.05'],
    [0, 'IDR', '0.00'],
    [12_345, 'JPY', '12345'],
    [1_234, 'KWD', '1.234'],
    [9_007_199_254_740_993_123n, 'EUR', '90071992547409931.23'],
  ])('of %d in the smallest unit of %s is written exactly', (minor, currency, text) => {
    expect(amountText(minor, currency)).toBe(text);
    expect(priceText(minor, currency)).toBe(`${text} ${currency}`);
  });
});
