import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { BackgroundWork } from '@antrean/jobs';
import { OutcomeFollower } from './outcome-follower.js';

/** Ties the follower to the application's life. */
@Injectable()
export class OutcomeFollowerRuntime implements OnApplicationBootstrap {
  constructor(
    private readonly follower: OutcomeFollower,
    private readonly background: BackgroundWork,
  ) {}

  onApplicationBootstrap(): void {
    this.background.start('outcomes', this.follower);
  }
}
