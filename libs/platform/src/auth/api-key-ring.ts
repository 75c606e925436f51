import { createHash, timingSafeEqual } from 'node:crypto';
import type { ApiKey, Scope } from './api-key.js';

/** Who asks, and what they may do. */
export interface Principal {
  readonly name: string;
  readonly scopes: readonly Scope[];
}

const BEARER = /^Bearer +([\x21-\x7e]+) *$/i;

/** The keys an application knows, to tell callers by their `Authorization` header. */
export class ApiKeyRing {
  private readonly keys: readonly { readonly hash: Buffer; readonly principal: Principal }[];

  constructor(keys: readonly ApiKey[]) {
    this.keys = keys.map(({ name, scopes, sha256 }) => ({ hash: Buffer.from(sha256, 'hex'), principal: { name, scopes } }));
  }

  /** True when no keys are set: then nobody needs one. */
  get isEmpty(): boolean {
    return this.keys.length === 0;
  }

  /**
   * The principal of an `Authorization: Bearer <key>` header (RFC 6750); undefined when there is none or nobody has that key.
   * Every key is compared, in constant time, so that the time taken tells nothing.
   */
  identify(authorization: string | undefined): Principal | undefined {
    const [, key] = BEARER.exec(authorization ?? '') ?? [];
    if (key === undefined) return undefined;
    const hash = createHash('sha256').update(key).digest();
    const matches = this.keys.map((known) => timingSafeEqual(known.hash, hash));
    return this.keys[matches.indexOf(true)]?.principal;
  }
}
