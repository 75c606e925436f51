import { errorFields, type Logger } from '@antrean/platform';
import type { ConnectionWatch } from './engine.js';

/** Says once that the server cannot be reached, and once that it can be again. */
export class ConnectionLog implements ConnectionWatch {
  private away = false;

  constructor(private readonly logger: Logger) {}

  reached(): void {
    if (this.away) this.logger.info('the database can be reached again');
    this.away = false;
  }

  missed(cause: unknown): void {
    // Not the error itself: it may name the user.
    if (!this.away) this.logger.warn({ reason: errorFields(cause).code ?? 'no answer' }, 'the database cannot be reached');
    this.away = true;
  }
}
