import type { RedisConnection } from '@antrean/platform';
import { TypeKeys } from './keys.js';

/** The connection that scripts run on, and the names of the keys they run against. */
export class Link {
  private readonly keysByType = new Map<string, TypeKeys>();

  constructor(
    readonly redis: RedisConnection,
    private readonly prefix: string,
  ) {}

  keys(type: string): TypeKeys {
    let keys = this.keysByType.get(type);
    if (keys === undefined) {
      keys = new TypeKeys(this.prefix, type);
      this.keysByType.set(type, keys);
    }
    return keys;
  }
}
