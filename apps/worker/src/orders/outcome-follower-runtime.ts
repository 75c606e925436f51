import { Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import type { Loop } from '@antrean/jobs';

/** Ties the follower to the application's life. */
@Injectable()
export class OutcomeFollowerRuntime implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(private readonly loop: Loop) {}

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop();
  }
}
