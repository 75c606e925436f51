import { StoredQueue } from './stored-queue.js';

/** Gives each test of a suite the queue of a type of its own, all on one connection. To be called where hooks are. */
export function withFreshQueue(begin: (queue: StoredQueue) => void | Promise<void>): void {
  let opened: StoredQueue;

  beforeAll(async () => {
    opened = await StoredQueue.open();
  });

  beforeEach(() => begin(opened.another()));

  afterAll(async () => {
    await opened.close();
  });
}
