import { Injectable } from '@nestjs/common';

/** Whether this process wants requests: from the moment it listens until the moment it begins to close. */
@Injectable()
export class Readiness {
  private state: 'starting' | 'ready' | 'draining' = 'starting';

  get current(): 'starting' | 'ready' | 'draining' {
    return this.state;
  }

  start(): void {
    if (this.state === 'starting') this.state = 'ready';
  }

  drain(): void {
    this.state = 'draining';
  }
}
