import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Loop } from '../runtime/loop.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from '../services/producer-options.js';
import { Link } from '../store/link.js';
import { BelongingsSweeper } from './belongings-sweeper.js';

/** Ties the sweeper to the application's life. */
@Injectable()
export class BelongingsRuntime implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: Loop;
  private isOver = false;

  constructor(
    private readonly sweeper: BelongingsSweeper,
    private readonly link: Link,
    @Inject(PRODUCER_OPTIONS) { logger }: Pick<ProducerOptions, 'logger'>,
  ) {
    this.loop = new Loop('belongings', sweeper, logger);
  }

  /** Begins once Redis is known to be fit. */
  onApplicationBootstrap(): void {
    void this.link.gate.opens.then((opens) => {
      if (opens && !this.isOver) this.loop.start();
    });
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isOver = true;
    this.sweeper.giveUp();
    await this.loop.stop();
  }
}
