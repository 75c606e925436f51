import { dedupeHolder } from '../../libs/jobs/src/store/dedupe-holder.js';
import type { Settlement } from '../../libs/jobs/src/store/exchange.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue } from '../support/stored-queue.js';

const HOUR = 3_600_000;

describe('a dedupe key', () => {
  let queue: StoredQueue;

  withFreshQueue((fresh) => {
    queue = fresh;
  });

  const holder = () => dedupeHolder(queue.link, queue.type, 'k');

  it.each<Settlement>([
    { event: 'succeed', json: '' },
    { event: 'bury', outcome: 'failed', json: '{}' },
  ])('stays with the job that took it when one ends that held it before: $event', async (settlement) => {
    const worker = queue.newWorker();
    const plan = { dedupe: { policy: 'until_started', key: 'k' } } as const;
    const [before = ''] = await queue.add([plan]);
    const { claimed } = await worker.exchange({ want: 1 });
    const [after] = await queue.add([plan]);
    await worker.exchange({ settles: claimed.map((job) => ({ ...job, settlement })) });
    expect(await holder()).toBe(after);
    await queue.remove([before]);
    expect(await holder()).toBe(after);
  });

  it('with a time of its own is free after a cancel, whether the job is kept or not', async () => {
    for (const kept of [true, false]) {
      const [ulid = ''] = await queue.add([{ dedupe: { policy: 'ttl', key: 'k' }, dedupeTtlMs: HOUR }]);
      expect(await holder()).toBe(ulid);
      await queue.cancel([ulid], kept);
      expect(await holder()).toBeUndefined();
    }
  });
});
