import { Redis } from 'ioredis';

/** Counts what clients ask of a Redis; what scripts call in turn is not counted. */
export class ClientCalls {
  private calls: string[][] = [];

  private constructor(private readonly monitor: Redis) {
    // The client's types leave the listener's arguments open.
    monitor.on('monitor', (_time: string, args: string[], source: string) => {
      if (source !== 'lua') this.calls.push(args);
    });
  }

  static async watch(redisUrl: string): Promise<ClientCalls> {
    const client = new Redis(redisUrl);
    const watching = new ClientCalls(await client.monitor());
    client.disconnect();
    return watching;
  }

  /** Resolves once a client makes a call of which `matches` is true; whatever is asked after that comes after it. */
  next(matches: (call: readonly string[]) => boolean): Promise<void> {
    return new Promise((resolve) => {
      const look = (_time: string, args: string[], source: string) => {
        if (source === 'lua' || !matches(args)) return;
        this.monitor.off('monitor', look);
        resolve();
      };
      this.monitor.on('monitor', look);
    });
  }

  /** The calls since the last time. */
  take(): readonly (readonly string[])[] {
    const { calls } = this;
    this.calls = [];
    return calls;
  }

  stop(): void {
    this.monitor.disconnect();
  }
}
