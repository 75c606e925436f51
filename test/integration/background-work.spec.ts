import { EventEmitter, once } from 'node:events';
import { BackgroundWork, JobHandler, OutboxModule, defineJob, unchecked, type Handles, type TakenRow } from '@antrean/jobs';
import { MemoryOutboxStore } from '../support/memory-outbox-store.js';
import { startJobsApp } from '../support/jobs-app.js';
import { silentLogger } from '../support/shared-redis.js';

const Slow = defineJob('test.slow', { payload: unchecked() });
const news = new EventEmitter();
const heard = (what: string): Promise<unknown> => once(news, what);

@JobHandler(Slow)
class SlowHandler implements Handles<typeof Slow> {
  async handle(): Promise<void> {
    news.emit('started');
    await heard('draining');
  }
}

/** Its database answers nobody. */
class SilentOutbox extends MemoryOutboxStore {
  override take(): Promise<readonly TakenRow[]> {
    news.emit('asked');
    return new Promise(() => undefined);
  }
}

describe('work beside the jobs', () => {
  it('holds up no shutdown when it hangs: jobs in hand end at once, and it has as long as they have', async () => {
    const ends: unknown[] = [];
    const stop = jest.spyOn(BackgroundWork.prototype, 'stop');
    const info = (fields: unknown, text?: string): void => {
      if (text === 'worker draining') news.emit('draining');
      if (text === 'worker stopped') ends.push([fields, stop.mock.calls.length]);
    };
    const asked = heard('asked');
    const worker = await startJobsApp(
      [Slow],
      [SlowHandler],
      { shutdownGraceMs: 1_000, logger: Object.assign(Object.create(silentLogger) as typeof silentLogger, { info }) },
      [OutboxModule.forWorker({ store: SilentOutbox })],
    );
    await asked;
    const started = heard('started');
    await worker.queue.enqueue(Slow, {});
    await started;
    await worker.close();
    // Told to end before the worker has ended: its time passes beside that of the jobs.
    expect(ends).toEqual([[{ running: 0 }, 1]]);
  });
});
