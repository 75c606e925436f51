import { setMaxListeners } from 'node:events';
import { Injectable } from '@nestjs/common';

/** Whether this process wants requests: from the moment it listens until the moment it begins to close. */
@Injectable()
export class Readiness {
  private readonly drainBegins = new AbortController();
  private state: 'starting' | 'ready' | 'draining' = 'starting';

  get current(): 'starting' | 'ready' | 'draining' {
    return this.state;
  }

  /** Aborts when the process begins to close: what waits for long ends its wait. */
  get draining(): AbortSignal {
    return this.drainBegins.signal;
  }

  constructor() {
    // As many as requests wait.
    setMaxListeners(0, this.drainBegins.signal);
  }

  start(): void {
    if (this.state === 'starting') this.state = 'ready';
  }

  drain(): void {
    this.state = 'draining';
    this.drainBegins.abort();
  }
}
