import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { JobHandler, defineJob, unchecked, type Handles, type Job } from '@antrean/jobs';
import { Redis } from 'ioredis';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { expectUnavailable, untilAccepted } from '../support/away-answer.js';
import { eventually } from '../support/eventually.js';
import { startJobsApp, type JobsApp } from '../support/jobs-app.js';
import { TestRedis } from '../support/test-redis.js';
import { succeeded } from '../support/until-job.js';

let finish: () => void = () => undefined;

const Held = defineJob('held.run', { payload: unchecked<object>() });

/** Runs until it is let go. */
@JobHandler(Held)
class HeldHandler implements Handles<typeof Held> {
  async handle(): Promise<string> {
    await new Promise<void>((resolve) => {
      finish = resolve;
    });
    return 'done';
  }
}

/** What happens to a Redis, and how it ends. */
interface Trouble {
  readonly begin: () => Promise<unknown>;
  readonly end: () => Promise<unknown>;
  /** What a command that writes is answered meanwhile; undefined: nothing. */
  readonly writes: string | undefined;
  /** What one that reads is answered, when it is refused. */
  readonly reads?: string;
  /** Ends of jobs are written all the same. */
  readonly settles?: boolean;
}

describe('a Redis in trouble', () => {
  let server: TestRedis;
  let redis: Redis;
  let saves: string;
  let app: JobsApp;
  let api: TestApi;

  beforeAll(async () => {
    saves = await mkdtemp(join(tmpdir(), 'antrean-saves-'));
    const debug = ['--enable-debug-command', 'yes', '--loading-process-events-interval-bytes', '1024'];
    server = await TestRedis.start(['--appendonly', 'no', '--dir', saves, ...debug]);
    redis = new Redis({ port: server.port, retryStrategy: () => 100 });
    redis.on('error', () => undefined);
    app = await startJobsApp([Held], [HeldHandler], { redisUrl: server.url });
    api = await startTestApi({ REDIS_URL: server.url });
  });

  afterAll(async () => {
    redis.disconnect();
    await Promise.all([app.close(), api.close()]);
    await server.stop();
    await rm(saves, { recursive: true, force: true });
  });

  const set = (name: string, value: string | number) => redis.config('SET', name, value);

  const TROUBLES: Readonly<Record<string, Trouble>> = {
    'has no memory left': {
      begin: () => set('maxmemory', 1),
      end: () => set('maxmemory', 0),
      writes: 'OOM',
      settles: true,
    },
    'has become a replica': {
      begin: () => redis.replicaof('127.0.0.1', 1),
      end: () => redis.replicaof('NO', 'ONE'),
      writes: 'READONLY',
    },
    'has become a replica without a master': {
      begin: async () => {
        await set('replica-serve-stale-data', 'no');
        await redis.replicaof('127.0.0.1', 1);
      },
      end: async () => {
        await redis.replicaof('NO', 'ONE');
        await set('replica-serve-stale-data', 'yes');
      },
      writes: 'READONLY',
      reads: 'MASTERDOWN',
    },
    'misses its replicas': {
      begin: () => set('min-replicas-to-write', 1),
      end: () => set('min-replicas-to-write', 0),
      writes: 'NOREPLICAS',
    },
    'loads its data': {
      begin: async () => {
        await redis.mset(Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`filler:${n}`, 'x'.repeat(100)])));
        await set('key-load-delay', 2_000);
        const loader = redis.duplicate();
        void loader
          .call('DEBUG', 'RELOAD')
          .catch(() => undefined)
          .finally(() => {
            loader.disconnect();
          });
        await eventually(() => expect(redis.ping()).rejects.toThrow('LOADING'));
      },
      end: () => eventually(() => redis.ping()),
      writes: 'LOADING',
      reads: 'LOADING',
    },
    'cannot write to its disk': {
      begin: async () => {
        await set('save', '3600 1');
        await rm(saves, { recursive: true });
        await redis.bgsave();
        await eventually(async () => {
          expect(await redis.info('persistence')).toContain('rdb_last_bgsave_status:err');
        });
      },
      end: () => set('save', ''),
      writes: 'MISCONF',
    },
    'is busy with a script': {
      begin: async () => {
        await set('busy-reply-threshold', 1);
        const blocker = redis.duplicate();
        // It is killed in the end, and so is rejected.
        void blocker
          .eval('while true do end', 0)
          .catch(() => undefined)
          .finally(() => {
            blocker.disconnect();
          });
        await eventually(() => expect(redis.ping()).rejects.toThrow('BUSY'));
      },
      end: () => redis.script('KILL'),
      writes: 'BUSY',
      reads: 'BUSY',
    },
    'lets the application do nothing any more': {
      begin: () => redis.call('ACL', 'SETUSER', 'default', '-@all', '+acl'),
      end: () => redis.call('ACL', 'SETUSER', 'default', '+@all'),
      writes: 'NOPERM',
      reads: 'NOPERM',
    },
    'lets the scripts of the application do less': {
      begin: () => redis.call('ACL', 'SETUSER', 'default', '-mset', '-getrange', '-set', '-get'),
      end: () => redis.call('ACL', 'SETUSER', 'default', '+@all'),
      writes: 'NOPERM',
      reads: 'NOPERM',
    },
    'hangs, though its connections stand': {
      begin: () => {
        server.freeze();
        return Promise.resolve();
      },
      end: () => {
        server.thaw();
        return Promise.resolve();
      },
      writes: undefined,
    },
  };

  it.each(Object.entries(TROUBLES))('that %s is survived', async (_name, { begin, end, writes, reads, settles }) => {
    const { jobId } = await app.queue.enqueue(Held, {});
    await app.until(jobId, ({ status }) => status === 'processing');
    const isReadable = writes !== undefined && reads === undefined;
    await begin();
    try {
      if (writes !== undefined) await expect(redis.set('any', 1)).rejects.toThrow(writes);
      if (reads !== undefined) await expect(redis.get('any')).rejects.toThrow(reads);
      await expectUnavailable(api);
      expect((await api.http.get('/jobs/email.send_01M8KZ529QERT1Z0QMV0JH9NB6')).status).toBe(isReadable ? 404 : 503);
      finish();
      if (settles === true) await app.until(jobId, succeeded);
    } finally {
      await end();
    }
    await untilAccepted(api);
    const job: Job = await app.until(jobId, succeeded);
    expect(job).toMatchObject({ result: 'done', attempt: 1, crashes: 0, runs: [{ outcome: 'succeeded' }] });
    const next = await app.queue.enqueue(Held, {});
    await app.until(next.jobId, ({ status }) => status === 'processing');
    finish();
    await app.until(next.jobId, succeeded);
  });
});
