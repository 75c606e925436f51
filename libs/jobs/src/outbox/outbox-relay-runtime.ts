import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { Loop } from '../runtime/loop.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from '../services/producer-options.js';
import { OutboxRelay } from './outbox-relay.js';
import { OutboxStore } from './outbox-store.js';

/** Ties the relay to the application's life. */
@Injectable()
export class OutboxRelayRuntime<Tx> implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly loop: Loop;

  constructor(
    relay: OutboxRelay<Tx>,
    private readonly store: OutboxStore<Tx>,
    @Inject(PRODUCER_OPTIONS) { logger }: Pick<ProducerOptions, 'logger'>,
  ) {
    this.loop = new Loop('outbox', relay, logger);
  }

  onApplicationBootstrap(): void {
    this.store.onAdded(() => {
      this.loop.wakeWithin(0);
    });
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }
}
