import { confineTo, onServerChange } from '@antrean/platform';
import { LayoutMismatchError, UnfitRedisError } from '../definition/errors.js';
import { Loop, type Ticking } from '../runtime/loop.js';
import { foreignLayout } from '../store/layout.js';
import type { Link } from '../store/link.js';
import { serverFacts, type ServerFacts } from '../store/server-facts.js';
import { typesOf, type ProducerOptions } from './producer-options.js';
import { serverFaults } from './server-faults.js';

/** A Cluster in trouble tells of many changes. */
const PAUSE_MS = 1_000;

/**
 * Looks at the servers again when one may be another than was found fit: it came later, took over or was restarted. Jobs may be there
 * already, so work goes on, and the log says what to do. Work on a part of a Cluster that was away when it began waits until that was
 * found fit.
 */
export class ServerWatch implements Ticking {
  private readonly loop: Loop;
  private readonly link: Link;
  private isConfined = false;
  /** What the log has said last. */
  private said = '';

  /**
   * @param links the first is looked through, all are confined.
   * @param fit the addresses of the servers that were found to be.
   */
  constructor(
    private readonly links: readonly [Link, ...Link[]],
    private readonly options: Pick<ProducerOptions, 'definitions' | 'keyPrefix' | 'logger'>,
    private readonly fit: Set<string>,
  ) {
    [this.link] = links;
    this.loop = new Loop('server watch', this, options.logger);
  }

  /** @param confined whether work goes to the servers that were found fit alone, until all are. */
  start(confined: boolean): void {
    this.isConfined = confined;
    if (confined) {
      for (const { redis } of this.links) confineTo(redis, this.fit);
      this.loop.start();
    }
    const forget = onServerChange(this.link.redis, () => {
      this.loop.start();
      this.loop.wakeWithin(PAUSE_MS);
    });
    this.link.beforeClose(() => {
      forget();
      void this.loop.stop();
      return Promise.resolve();
    });
  }

  async tick(): Promise<number> {
    const { facts, away } = await serverFacts(this.link);
    const faults = serverFaults(facts);
    const reasons = faults.length > 0 ? [new UnfitRedisError(faults).message] : [];
    if (this.isConfined) reasons.push(...(await this.letThrough(facts, away)));
    this.say(reasons.join(' '));
    return away.length > 0 || this.isConfined ? PAUSE_MS : Infinity;
  }

  /** Answers with what keeps it from letting work through to servers that are fit themselves. */
  private async letThrough(servers: readonly ServerFacts[], away: readonly string[]): Promise<readonly string[]> {
    const { keyPrefix, logger } = this.options;
    const newcomers = servers.filter((server) => !this.fit.has(server.address) && serverFaults([server]).length === 0);
    const addresses = newcomers.map(({ address }) => address);
    const foreign = await foreignLayout(this.link, typesOf(this.options), new Set(addresses));
    if (foreign !== undefined) return [new LayoutMismatchError(keyPrefix, foreign).message];
    for (const address of addresses) this.fit.add(address);
    if (away.length > 0 || servers.some(({ address }) => !this.fit.has(address))) return [];
    this.isConfined = false;
    for (const { redis } of this.links) confineTo(redis, undefined);
    logger.info('all of the Cluster is fit, work on all types goes on');
    return [];
  }

  /** Once, as it looks again and again. */
  private say(reason: string): void {
    if (reason !== '' && reason !== this.said) {
      this.options.logger.error({ reason }, 'a redis server that was not there before is not fit');
    }
    this.said = reason;
  }
}
