import { Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { BackgroundWork } from '../runtime/background-work.js';
import { Link } from '../store/link.js';
import { BelongingsSweeper } from './belongings-sweeper.js';

/** Ties the sweeper to the application's life. */
@Injectable()
export class BelongingsRuntime implements OnApplicationBootstrap, OnModuleDestroy {
  constructor(
    private readonly sweeper: BelongingsSweeper,
    private readonly link: Link,
    private readonly background: BackgroundWork,
  ) {}

  /** Begins once Redis is known to be fit. */
  onApplicationBootstrap(): void {
    void this.link.gate.opens.then((opens) => {
      if (opens) this.background.start('belongings', this.sweeper);
    });
  }

  onModuleDestroy(): void {
    this.sweeper.giveUp();
  }
}
