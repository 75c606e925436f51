import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundWork } from '../runtime/background-work.js';
import { OutboxRelay } from './outbox-relay.js';
import { OutboxStore } from './outbox-store.js';

/** Ties the relay to the application's life. */
@Injectable()
export class OutboxRelayRuntime<Tx> implements OnApplicationBootstrap {
  constructor(
    private readonly relay: OutboxRelay<Tx>,
    private readonly store: OutboxStore<Tx>,
    private readonly background: BackgroundWork,
  ) {}

  onApplicationBootstrap(): void {
    const loop = this.background.start('outbox', this.relay);
    this.store.onAdded(() => {
      loop.wakeWithin(0);
    });
  }
}
