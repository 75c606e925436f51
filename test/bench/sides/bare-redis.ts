import { Redis } from 'ioredis';
import type { BenchJob } from '../job.js';
import type { OpenSide, OpenWorker, Side, Stored, Variant, WorkerSettings } from './side.js';

const LISTS = { plain: 'bare:plain', validated: 'bare:validated' };

/** No queue at all: what a list in Redis gives when nothing is promised. The limit that both others are seen beside. */
export const openBareRedis: OpenSide = async (redisUrl) => {
  const redis = new Redis(redisUrl);
  await redis.ping();
  return new BareRedis(redis);
};

class BareRedis implements Side {
  constructor(private readonly redis: Redis) {}

  submit(variant: Variant, { payload }: BenchJob): Promise<unknown> {
    return this.redis.lpush(LISTS[variant], JSON.stringify(payload));
  }

  submitBulk(variant: Variant, jobs: readonly BenchJob[]): Promise<unknown> {
    return this.redis.lpush(LISTS[variant], ...jobs.map(({ payload }) => JSON.stringify(payload)));
  }

  async openWorker({ variant, slots }: WorkerSettings, onRun: (number: number) => void): Promise<OpenWorker> {
    const list = LISTS[variant];
    const redis = this.redis.duplicate();
    await redis.ping();
    let taken = 0;
    let closing = false;
    const run = (json: string): void => {
      // Written by submit().
      onRun((JSON.parse(json) as BenchJob['payload']).number);
      taken += 1;
    };
    /** Takes without waiting while there are jobs, as a pool of `slots` would; one of them then waits for more. */
    const drain = async (): Promise<void> => {
      for (let json = await redis.rpop(list); json !== null; json = await redis.rpop(list)) run(json);
    };
    const work = async (): Promise<void> => {
      await Promise.all(Array.from({ length: slots }, drain));
      while (!closing) {
        const reply = await redis.brpop(list, 0).catch(() => null);
        if (reply !== null) run(reply[1]);
      }
    };
    return {
      start: () => void work(),
      settled: () => Promise.resolve(taken),
      close: () => {
        closing = true;
        redis.disconnect();
        return Promise.resolve();
      },
    };
  }

  async stored(variant: Variant): Promise<Stored> {
    return { waiting: await this.redis.llen(LISTS[variant]), kept: 0 };
  }

  forgetEvents(): Promise<void> {
    return Promise.resolve();
  }
}
