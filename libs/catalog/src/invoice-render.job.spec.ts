import { retryDelayMs } from '@antrean/jobs';
import { InvoiceRender } from './invoice-render.job.js';

describe('the job that renders an invoice', () => {
  it('is tried for longer than a storage that hangs for an hour', () => {
    const { maxAttempts, retry } = InvoiceRender;
    const waits = Array.from({ length: maxAttempts - 1 }, (_, nth) => retryDelayMs(retry, nth + 1, undefined, () => 0));
    const sum = waits.reduce((all, wait) => all + wait, 0);
    expect(sum).toBeGreaterThan(3_600_000);
  });
});
