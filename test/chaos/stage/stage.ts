import { join } from 'node:path';
import { freePort } from '../../support/free-port.js';
import { ReplyDropper } from '../../support/reply-dropper.js';
import { TestRedis } from '../../support/test-redis.js';
import { Ledger } from '../ledger/ledger.js';
import type { Options } from '../options.js';
import type { Sizes } from '../sizes.js';
import { FakeClock } from './fake-clock.js';
import { Place, type Program } from './place.js';
import { QueueRedis } from './queue-redis.js';
import { refusalIn } from './refusals.js';

const APIS = 2;
const WORKERS = 4;
export const KEY_PREFIX = 'chaos';
/** What lets apis and workers tell of the ends of jobs to somebody on this machine. */
const WEBHOOKS = { OUTBOUND_ALLOW: '127.0.0.1', WEBHOOK_SECRETS: `default=whsec_${'A'.repeat(32)}` };
/** A message may wait for its relay until somebody looks (15 s), for the lease of a worker that died with it, and for its second attempt. */
const DRAIN_MS = 60_000;

/** An api or a worker with all through which a fault can hit it. */
export interface Target {
  readonly place: Place;
  /** All that it says to Redis goes through here. */
  readonly proxy: ReplyDropper;
  /** Undefined where its clock cannot be set. */
  readonly clock: FakeClock | undefined;
}

export interface StageSettings extends Options {
  readonly sizes: Sizes;
  /** For logs, and all else that processes leave. */
  readonly folder: string;
  /** The path of libfaketime; undefined where there is none. */
  readonly faketime: string | undefined;
}

/** Everything that takes part in a campaign, and its end. */
export class Stage {
  private constructor(
    readonly redis: QueueRedis,
    readonly ledger: Ledger,
    private readonly ledgerRedis: TestRedis,
    readonly apis: readonly Target[],
    readonly workers: readonly Target[],
    readonly load: Place,
    readonly crowd: Place,
    readonly observer: Place,
    readonly reader: Place,
    readonly receiver: Place,
  ) {}

  /** Nothing but the two Redis servers runs yet. */
  static async build({ sizes, folder, faketime, seed, mode, soak }: StageSettings): Promise<Stage> {
    const redis = await QueueRedis.start(mode);
    const ledgerRedis = await TestRedis.start(['--appendonly', 'no']);
    const ledger = new Ledger(ledgerRedis.url);
    const ports = await Promise.all(Array.from({ length: APIS }, () => freePort()));
    const receiverPort = await freePort();
    const shared = { CHAOS_LEDGER: ledgerRedis.url, KEY_PREFIX, CHAOS_SEED: String(seed) };
    const databaseUrl = `sqlite:${join(folder, 'shop.db')}`;
    const helper = (program: Program, env: Readonly<Record<string, string>> = {}) =>
      new Place({ name: program, program, folder, env: { ...shared, CHAOS_APIS: ports.map(urlOf).join(), ...env } });
    const target = async (program: 'api' | 'worker', number: number, env: Readonly<Record<string, string>>): Promise<Target> => {
      const name = `${program}-${number}`;
      const proxy = await ReplyDropper.start(redis.url, (answered) => {
        const refusal = refusalIn(answered);
        if (refusal !== undefined) void ledger.write('refusals', refusal);
      });
      const clock = faketime === undefined ? undefined : new FakeClock(faketime, folder, name);
      const place = new Place({
        name,
        program,
        folder,
        env: {
          ...shared,
          REDIS_URL: proxy.url,
          DATABASE_URL: databaseUrl,
          LOG_LEVEL: 'warn',
          ...WEBHOOKS,
          ...clock?.env,
          ...env,
        },
      });
      return { place, proxy, clock };
    };
    const workerEnv = {
      LEASE_SEC: String(sizes.leaseMs / 1_000),
      WORKER_SLOTS: String(sizes.slots),
      ...(soak && { CHAOS_NOTES: '1', RETENTION_SEC: '20', DEAD_RETENTION_SEC: '30' }),
    };
    return new Stage(
      redis,
      ledger,
      ledgerRedis,
      await Promise.all(ports.map((port, index) => target('api', index + 1, { PORT: String(port) }))),
      await Promise.all(Array.from({ length: WORKERS }, (_, index) => target('worker', index + 1, workerEnv))),
      helper(soak ? 'soak-load' : 'load', {
        CHAOS_LEASE_MS: String(sizes.leaseMs),
        CHAOS_PER_SECOND: String(sizes.perSecond),
        CHAOS_WEBHOOK: urlOf(receiverPort),
      }),
      helper('crowd', {
        REDIS_URL: redis.url,
        CHAOS_LEASE_MS: String(sizes.leaseMs),
        CHAOS_CROWD: String(sizes.crowd),
      }),
      helper('observer', { REDIS_URL: redis.url }),
      // A job may begin its last run when a lease and a retry are over, and takes three leases then.
      helper('reader', { CHAOS_SETTLE_MS: String(8 * sizes.leaseMs + 30_000) }),
      helper('receiver', { CHAOS_PORT: String(receiverPort), CHAOS_DRAIN_MS: String(DRAIN_MS) }),
    );
  }

  get targets(): readonly Target[] {
    return [...this.apis, ...this.workers];
  }

  /** Rejects when a process ends by itself. */
  get failure(): Promise<never> {
    return Promise.race(this.places.map(({ failure }) => failure));
  }

  async start(): Promise<void> {
    const { targets, observer, crowd, receiver } = this;
    await Promise.all([...targets.map(({ place }) => place), observer, crowd, receiver].map((place) => place.start()));
    await this.load.start();
  }

  async close(): Promise<void> {
    await Promise.all(this.places.map((place) => place.kill()));
    await Promise.all(this.targets.map(({ proxy }) => proxy.stop()));
    this.ledger.close();
    await Promise.all([this.redis.stop(), this.ledgerRedis.stop()]);
  }

  private get places(): readonly Place[] {
    return [...this.targets.map(({ place }) => place), this.load, this.crowd, this.observer, this.reader, this.receiver];
  }
}

function urlOf(port: number): string {
  return `http://127.0.0.1:${port}`;
}
