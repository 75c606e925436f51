import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import { endsWithin } from '@antrean/platform';
import type { Listening } from '../engine.js';

const CONNECT_MS = 5_000;
const RETRY_MS = 1_000;
/** A server that hangs does not even take leave. */
const CLOSE_MS = 2_000;

/** Listens to what is told on a channel, over a connection of its own, which is made again whenever it breaks. */
export class PostgresEar implements Listening {
  private readonly over = new AbortController();
  private running: Promise<void> = Promise.resolve();

  /** @param channel a name in small letters. */
  constructor(
    private readonly url: string,
    private readonly channel: string,
    private readonly callback: () => void,
  ) {}

  start(): void {
    this.running = this.listen(this.over.signal);
  }

  async stop(): Promise<void> {
    this.over.abort();
    await endsWithin(this.running, CLOSE_MS);
  }

  private async listen(over: AbortSignal): Promise<void> {
    while (!over.aborted) {
      // Those who use the database say that it is away.
      await this.connection(over).catch(() => undefined);
      await pause(RETRY_MS, undefined, { signal: over, ref: false }).catch(() => undefined);
    }
  }

  /** Lasts as long as the connection does. */
  private async connection(over: AbortSignal): Promise<void> {
    // Loaded only by those who use it.
    const { default: pg } = await import('pg');
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'antrean',
      keepAlive: true,
      connectionTimeoutMillis: CONNECT_MS,
    });
    const broken = new AbortController();
    client.on('error', () => {
      broken.abort();
    });
    client.on('end', () => {
      broken.abort();
    });
    client.on('notification', this.callback);
    try {
      await client.connect();
      await client.query(`listen ${this.channel}`);
      // What was told while nobody listened.
      this.callback();
      const end = AbortSignal.any([over, broken.signal]);
      if (!end.aborted) await once(end, 'abort');
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
