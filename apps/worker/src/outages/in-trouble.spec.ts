import { Snooze } from '@antrean/jobs';
import { StorageAwayError } from '@antrean/platform';
import { inTrouble } from './in-trouble.js';

describe('a storage that is away', () => {
  it.each([
    [1, 15],
    [2, 30],
    [5, 240],
    [6, 300],
    [2_000, 300],
  ])('puts the run %d off by %d s', (run, seconds) => {
    const thrown = (): never => inTrouble({ run })(new StorageAwayError('no answer.', undefined));
    expect(thrown).toThrow(Snooze);
    expect(thrown).toThrow(expect.objectContaining({ delayMs: seconds * 1_000 }) as Error);
  });
});
