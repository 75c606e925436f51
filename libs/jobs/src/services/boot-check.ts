import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { closeRedis, waitUntilReady } from '@antrean/platform';
import { LayoutMismatchError, UnfitRedisError } from '../definition/errors.js';
import { isRedisAway, isRedisRefusal } from '../store/availability.js';
import { foreignLayout } from '../store/layout.js';
import { Link } from '../store/link.js';
import { serverFacts, type ServerFacts } from '../store/server-facts.js';
import { PRODUCER_OPTIONS, typesOf, type ProducerOptions } from './producer-options.js';
import { serverFaults } from './server-faults.js';
import { ServerWatch } from './server-watch.js';
import { SUBMIT_LINK } from './submit-link.js';

/** A Redis that is there answers within this; the boot does not wait for one that is not. */
const PATIENCE_MS = 1_000;

/** After a look that found out nothing, as long as the connection stays. */
const RETRY_MS = 1_000;

const UNCHECKED = 'Redis cannot be checked for now, and work waits for that: the log says why.';
const REFUSED = 'This process cannot work on its Redis: the log says why.';

/** Starts nothing on a Redis that would lose jobs, nor on keys of a version that would misread each other's. */
@Injectable()
export class BootCheck implements OnModuleInit {
  private retry: NodeJS.Timeout | undefined;
  private inTrouble = false;

  constructor(
    private readonly link: Link,
    @Inject(SUBMIT_LINK) private readonly submits: Link,
    @Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions,
  ) {}

  /**
   * Opens the gate that work waits at.
   * @throws {UnfitRedisError} {@link LayoutMismatchError} which end the boot. A Redis that is away, or takes no commands for
   *   now, is looked at when it comes, and nothing is done on it before.
   */
  async onModuleInit(): Promise<void> {
    if (!(await waitUntilReady(this.link.redis, PATIENCE_MS))) {
      this.checkWhenReady();
      return;
    }
    try {
      await this.check();
    } catch (error) {
      if (!isRedisAway(error) && !isRedisRefusal(error)) throw error;
      this.tryLater(error);
    }
  }

  private checkWhenReady(): void {
    this.link.redis.once('ready', this.checkLate);
  }

  private readonly checkLate = (): void => {
    this.link.redis.off('ready', this.checkLate);
    clearTimeout(this.retry);
    this.check().then(
      () => {
        this.options.logger.info('redis is fit, work on it begins');
      },
      (error: unknown) => {
        if (error instanceof LayoutMismatchError || error instanceof UnfitRedisError) this.refuse(error);
        else this.tryLater(error);
      },
    );
  };

  private refuse(error: Error): void {
    this.link.gate.refuse(REFUSED);
    // Without its connections this process does nothing, and its health says so.
    this.options.logger.fatal({ reason: error.message }, 'this process cannot work on this redis');
    for (const { redis } of [this.link, this.submits]) closeRedis(redis);
  }

  private tryLater(error: unknown): void {
    if (!this.inTrouble) {
      this.options.logger.warn({ err: error }, 'redis cannot be checked, work waits for that and it is tried again and again');
    }
    this.inTrouble = true;
    this.link.gate.hold(UNCHECKED);
    this.checkWhenReady();
    this.retry = setTimeout(() => {
      if (this.link.redis.status === 'ready') this.checkLate();
    }, RETRY_MS).unref();
  }

  private async check(): Promise<void> {
    const { link, options } = this;
    const { facts, away } = await serverFacts(link);
    const faults = serverFaults(facts);
    if (faults.length > 0) throw new UnfitRedisError(faults);
    this.warnOf(facts);
    const fit = new Set(facts.map(({ address }) => address));
    const foreign = await foreignLayout(link, typesOf(options), fit);
    if (foreign !== undefined) throw new LayoutMismatchError(options.keyPrefix, foreign);
    if (away.length > 0) {
      options.logger.warn(
        { servers: away },
        'a part of the Cluster is away: its types wait until it was found fit, work on the others begins',
      );
    }
    new ServerWatch([link, this.submits], options, fit).start(away.length > 0);
    link.gate.open();
  }

  private warnOf(servers: readonly ServerFacts[]): void {
    const { durability, logger } = this.options;
    const forgetful = addresses(servers.filter(({ persistent }) => !persistent));
    if (forgetful.length > 0) {
      logger.warn(
        { servers: forgetful },
        'redis keeps jobs in memory only: they are lost when it restarts, turn on appendonly to keep them',
      );
    }
    const alone = durability === 'replicated' ? addresses(servers.filter(({ replicas }) => replicas === 0)) : [];
    // One may come, and what is there already must be served meanwhile.
    if (alone.length > 0) {
      logger.warn(
        { servers: alone },
        'redis has no replica: with DURABILITY=replicated no job is accepted until one follows it (REPLICAOF); DURABILITY=local needs none',
      );
    }
  }
}

function addresses(servers: readonly ServerFacts[]): readonly string[] {
  return servers.map(({ host, port }) => `${host}:${port}`);
}
