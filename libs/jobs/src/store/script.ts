import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RedisConnection } from '@antrean/platform';

/** What a script takes besides its keys. Text travels as UTF-8, buffers as they are. */
export type ScriptArgument = string | number | Buffer;

/**
 * Keys that a script always has. Two at least, one of which (`clock`) exists in tests only: while a slot of a Cluster
 * moves, Redis refuses a call of several keys of which one is not there (TRYAGAIN). One of a single key would run on a node
 * that has some of the records.
 */
export type ScriptKeys = readonly [string, string, ...string[]];

const INCLUDE = /^--#include ([\w-]+)$/gm;

/**
 * A Lua script of this room, known to Redis by the hash of its text, so that two versions of the library run side by
 * side. A line `--#include name` stands for the fragment `name.lua`.
 */
export class Script {
  /** By which Redis knows it. */
  readonly sha: string;
  private readonly text: string;

  constructor(name: string) {
    this.text = read(name).replaceAll(INCLUDE, (_line, fragment: string) => read(fragment).trimEnd());
    this.sha = createHash('sha1').update(this.text).digest('hex');
  }

  /** Runs the script; bulk strings of the reply are Buffers. A Redis that does not know it (a restart) is sent the text. */
  async run(redis: RedisConnection, keys: ScriptKeys, args: readonly ScriptArgument[]): Promise<unknown> {
    try {
      return await redis.callBuffer('evalsha', this.sha, keys.length, ...keys, ...args);
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error;
      return redis.callBuffer('eval', this.text, keys.length, ...keys, ...args);
    }
  }
}

function read(name: string): string {
  return readFileSync(new URL(`./${name}.lua`, import.meta.url), 'utf8');
}
