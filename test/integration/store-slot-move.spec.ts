import { closeRedis } from '@antrean/platform';
import { isRedisRefusal } from '../../libs/jobs/src/store/availability.js';
import { wait } from '../../libs/jobs/src/store/wait.js';
import { StoredQueue } from '../support/stored-queue.js';
import { TestCluster } from '../support/test-cluster.js';

describe('while the slot of a type moves to another node', () => {
  let cluster: TestCluster;
  let queue: StoredQueue;

  beforeAll(async () => {
    cluster = await TestCluster.start();
    queue = await StoredQueue.open(cluster.url);
  });

  afterAll(async () => {
    closeRedis(queue.redis);
    await cluster.stop();
  });

  // The record may be on the one node while a key of the call is looked for on the other.
  it('no call says that a job is not there which is: it is refused, whatever has moved by then', async () => {
    const [ulid = ''] = await queue.add([{}]);
    const worker = queue.newWorker();
    const [claimed] = (await worker.exchange({ want: 1 })).claimed;
    if (claimed === undefined) throw new Error('Nothing was claimed.');
    const { token } = claimed;
    const calls = {
      read: async () => (await queue.find(ulid)) !== undefined,
      note: async () => (await queue.note([{ ulid, token, kind: 'log', json: '{}' }]))[0],
      wait: () => wait(queue.link, queue.type, ulid),
    };
    const move = await cluster.beginMove(await cluster.slotOf(queue.keys.clock));
    do {
      for (const [name, answer] of await Promise.all(
        Object.entries(calls).map(async ([name, call]) => [name, await answerOf(call)] as const),
      )) {
        expect([name, answer]).toEqual([name, 'refused']);
      }
    } while (await move.moveKeys(1));
    await move.end();
    expect(await calls.read()).toBe(true);
    expect(await calls.wait()).toBe(true);
    expect(await calls.note()).toBe(true);
  });
});

async function answerOf(call: () => Promise<unknown>): Promise<unknown> {
  try {
    return await call();
  } catch (error) {
    if (isRedisRefusal(error)) return 'refused';
    throw error;
  }
}
