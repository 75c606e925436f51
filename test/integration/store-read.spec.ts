import { UnreadableRecordError } from '../../libs/jobs/src/store/record.js';
import { withFreshQueue } from '../support/fresh-queue.js';
import type { StoredQueue } from '../support/stored-queue.js';

describe('a record that is none', () => {
  let queue: StoredQueue;
  let spoilt: string;
  let behind: string;

  withFreshQueue(async (fresh) => {
    queue = fresh;
    [spoilt = '', behind = ''] = await queue.add([{}, {}]);
    await queue.redis.set(queue.keys.job(spoilt), 'no record');
  });

  it('is refused as such by its reader', async () => {
    await expect(queue.read(spoilt)).rejects.toThrow(UnreadableRecordError);
  });

  it('does not keep the counts of its type from being told, nor does what is no string', async () => {
    const counted = { oldestQueuedMs: null, counts: { queued: 2, processing: 0 } };
    expect(await queue.depth()).toMatchObject(counted);
    await queue.redis.del(queue.keys.job(spoilt));
    await queue.redis.hset(queue.keys.job(spoilt), 'a', 'hash');
    expect(await queue.depth()).toMatchObject(counted);
  });

  it('hides none of those behind it in its line', async () => {
    expect(await queue.read(behind)).toMatchObject({ record: { status: 'queued' }, headSeq: undefined });
  });
});
