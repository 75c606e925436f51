import { endsWithin } from './ends-within.js';

const never = new Promise<never>(() => undefined);

describe('a wait for work', () => {
  it('tells whether the work ended in time', async () => {
    expect(await endsWithin(Promise.resolve('any'), 60_000)).toBe(true);
    expect(await endsWithin(never, 1)).toBe(false);
  });

  it('fails as the work does', async () => {
    await expect(endsWithin(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow('broken');
  });

  it('leaves no timer behind', async () => {
    const before = process.getActiveResourcesInfo().length;
    await endsWithin(Promise.resolve(), 60_000);
    await expect(endsWithin(Promise.reject(new Error('broken')), 60_000)).rejects.toThrow();
    expect(process.getActiveResourcesInfo()).toHaveLength(before);
  });
});
