import type { OnApplicationShutdown } from '@nestjs/common';
import { closeRedis, type RedisConnection } from '@antrean/platform';
import { Gate } from './gate.js';
import { TypeKeys } from './keys.js';

/** Clients may name any type: of more than an application has, the names made first are forgotten, and made again when needed. */
const MOST_TYPES_KNOWN = 1_000;

/** The connection that scripts run on, and the names of the keys they run against. */
export class Link implements OnApplicationShutdown {
  private readonly keysByType = new Map<string, TypeKeys>();
  private readonly lastWords: (() => Promise<void>)[] = [];

  constructor(
    readonly redis: RedisConnection,
    readonly keyPrefix: string,
    /** Work waits for it; what looks whether Redis is fit does not. */
    readonly gate: Gate = Gate.opened(),
  ) {}

  /** Of no type: what is written to see whether it can be. */
  get probe(): { readonly clock: string; readonly key: string } {
    return { clock: `${this.keyPrefix}:{PROBE}:clock`, key: `${this.keyPrefix}:{PROBE}:probe` };
  }

  /** Which workers there are. In capitals, as no job type is: the slot is theirs alone. */
  get presence(): { readonly clock: string; readonly key: string } {
    return { clock: `${this.keyPrefix}:{WORKERS}:clock`, key: `${this.keyPrefix}:{WORKERS}:presence` };
  }

  /** Whose turn it is to sweep what jobs left behind. */
  get sweeps(): { readonly clock: string; readonly turn: string } {
    return { clock: `${this.keyPrefix}:{SWEEPS}:clock`, turn: `${this.keyPrefix}:{SWEEPS}:turn` };
  }

  keys(type: string): TypeKeys {
    let keys = this.keysByType.get(type);
    if (keys === undefined) {
      keys = new TypeKeys(this.keyPrefix, type);
      const [oldest] = this.keysByType.size < MOST_TYPES_KNOWN ? [] : this.keysByType.keys();
      if (oldest !== undefined) this.keysByType.delete(oldest);
      this.keysByType.set(type, keys);
    }
    return keys;
  }

  /** Has something said when the application has shut down, just before the connection closes. `say` must neither reject nor take long. */
  beforeClose(say: () => Promise<void>): void {
    this.lastWords.push(say);
  }

  /** The last of all shutdown hooks' phases: no request and no run is in hand any more. */
  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.lastWords.map((say) => say()));
    closeRedis(this.redis);
  }
}
