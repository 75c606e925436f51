import { deliveryId } from './delivery-id.js';

describe('a delivery id', () => {
  it('is the same for the same message key, on every run and every worker', () => {
    expect(deliveryId({ messageKey: 'order-42' })).toBe('94777f42a972a1ca924310b730049fb1a690a85c');
  });

  it('differs between keys, between jobs, between recipients of a job, and between a key and a job of the same text', () => {
    const to = 'budi@example.com';
    const jobs = [
      { jobId: 'a', to },
      { jobId: 'b', to },
      { jobId: 'a', to: 'ani@example.com' },
    ];
    const ids = [{ messageKey: 'a' }, { messageKey: `a:${to}` }, ...jobs].map(deliveryId);
    expect(new Set(ids).size).toBe(5);
  });
});
