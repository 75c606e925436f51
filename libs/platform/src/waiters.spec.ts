import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Waiters } from './waiters.js';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

describe('those that wait', () => {
  it('go on together when they are released, and those that come later wait for the next time', async () => {
    const waiters = new Waiters();
    const [one, other] = [waiters.within(60_000), waiters.within(60_000)];
    waiters.release();
    expect(await Promise.all([one, other])).toEqual([true, true]);
    expect(await waiters.within(1)).toBe(false);
  });

  it('give up when their time is over', async () => {
    const waiters = new Waiters();
    const patient = waiters.within(60_000);
    expect(await waiters.within(1)).toBe(false);
    waiters.release();
    expect(await patient).toBe(true);
  });

  it('leave nothing behind when they give up', async () => {
    const waiters = new Waiters();
    const giveUp = async (): Promise<number> => {
      await Promise.all(Array.from({ length: 5_000 }, () => waiters.within(0)));
      collect();
      return process.memoryUsage().heapUsed;
    };
    await giveUp();
    const before = await giveUp();
    expect((await giveUp()) - before).toBeLessThan(250_000);
  });
});
