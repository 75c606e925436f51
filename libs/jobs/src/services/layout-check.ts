import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { closeRedis, waitUntilReady } from '@antrean/platform';
import { LayoutMismatchError } from '../definition/errors.js';
import { foreignLayout } from '../store/layout.js';
import { Link } from '../store/link.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from './producer-options.js';

/** A Redis that is there answers within this; the boot does not wait for one that is not. */
const PATIENCE_MS = 1_000;

/** Keeps versions apart that would misread each other's jobs. */
@Injectable()
export class LayoutCheck implements OnModuleInit {
  constructor(
    private readonly link: Link,
    @Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions,
  ) {}

  /** @throws {LayoutMismatchError} which ends the boot. A Redis that is away is looked at when it comes. */
  async onModuleInit(): Promise<void> {
    if (await waitUntilReady(this.link.redis, PATIENCE_MS)) await this.check();
    else this.link.redis.once('ready', this.checkLate);
  }

  private readonly checkLate = (): void => {
    this.check().catch((error: unknown) => {
      if (!(error instanceof LayoutMismatchError)) {
        this.options.logger.warn(
          { err: error },
          'the layout of the keys cannot be read, it is looked at again after a reconnect',
        );
        this.link.redis.once('ready', this.checkLate);
        return;
      }
      // Without its connection this process does nothing, and its health says so.
      this.options.logger.fatal({ reason: error.message }, 'this version cannot work on these keys');
      closeRedis(this.link.redis);
    });
  };

  private async check(): Promise<void> {
    const found = await foreignLayout(this.link);
    if (found !== undefined) throw new LayoutMismatchError(this.options.keyPrefix, found);
  }
}
