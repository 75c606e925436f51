import { setTimeout as pause } from 'node:timers/promises';
import { setting, tellParent } from './parent.js';

/**
 * Does something `CHAOS_PER_SECOND` times a second until the parent says `stop`, which is told when all of it has ended. On time on the whole: what a
 * late turn of the loop missed is made up for, unless too much is still open.
 * @param use what is done for the first, second, … time; ends this process when it rejects
 */
export async function steadily(mostOpen: number, use: (number: number) => Promise<unknown>): Promise<void> {
  const everyMs = 1_000 / Number(setting('CHAOS_PER_SECOND'));
  const open = new Set<Promise<unknown>>();
  const stop = new AbortController();
  process.on('message', (message) => {
    if (message === 'stop') stop.abort();
  });
  tellParent('up');
  let dueMs = performance.now();
  for (let number = 1; !stop.signal.aborted; number += 1) {
    dueMs += everyMs;
    await pause(Math.max(dueMs - performance.now(), 0));
    if (open.size >= mostOpen) await Promise.race(open);
    const used = use(number);
    open.add(used);
    void used.then(() => open.delete(used));
  }
  await Promise.all(open);
  tellParent('stopped');
}
