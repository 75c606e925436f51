import type { RedisConnection } from '@antrean/platform';
import { asArray, asBuffer, asNumber, asText } from '../../libs/jobs/src/store/reply.js';

/** What lies under one key. Scores and fields in the order Redis gives them. */
export type StoredValue =
  | { readonly kind: 'string'; readonly bytes: Buffer }
  | { readonly kind: 'list'; readonly entries: readonly string[]; readonly bytes: readonly Buffer[] }
  | { readonly kind: 'set'; readonly entries: readonly string[] }
  | { readonly kind: 'zset'; readonly scores: ReadonlyMap<string, number> }
  | { readonly kind: 'hash'; readonly fields: ReadonlyMap<string, Buffer> };

export interface StoredKeys {
  /** Redis' own time, ms. */
  readonly nowMs: number;
  readonly values: ReadonlyMap<string, StoredValue>;
}

/** Reads whole keys: those named, or all that match the pattern. The tests' own look at Redis, without the store's scripts. */
const READ = `
local time, reply = redis.call('TIME'), {}
for i, key in ipairs(#KEYS > 0 and KEYS or redis.call('KEYS', ARGV[1])) do
  local kind = redis.call('TYPE', key).ok
  local value = kind == 'string' and redis.call('GET', key) or kind == 'list' and redis.call('LRANGE', key, 0, -1)
    or kind == 'set' and redis.call('SMEMBERS', key) or kind == 'hash' and redis.call('HGETALL', key)
    or kind == 'zset' and redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') or nil
  if value then reply[#reply + 1] = { key, kind, value } end
end
return { time[1] * 1000 + math.floor(time[2] / 1000), reply }`;

const SAVE = `
local reply = {}
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
  reply[#reply + 1] = key
  reply[#reply + 1] = math.max(redis.call('PTTL', key), 0)
  reply[#reply + 1] = redis.call('DUMP', key)
end
return reply`;

const RESTORE = `
for _, key in ipairs(redis.call('KEYS', ARGV[1])) do redis.call('UNLINK', key) end
for i = 2, #ARGV, 3 do redis.call('RESTORE', ARGV[i], ARGV[i + 1], ARGV[i + 2]) end`;

/** A moment of Redis to which it can be brought back. */
export type SavedKeys = readonly (string | number | Buffer)[];

export const readKeys = async (redis: RedisConnection, keys: readonly string[]): Promise<StoredKeys> =>
  parse(await redis.callBuffer('eval', READ, keys.length, ...keys));

/** Every key of the database is looked at: for databases with few of them only. */
export const readKeysUnder = async (redis: RedisConnection, prefix: string): Promise<StoredKeys> =>
  parse(await redis.callBuffer('eval', READ, 0, `${prefix}*`));

export async function saveKeysUnder(redis: RedisConnection, prefix: string): Promise<SavedKeys> {
  return asArray(await redis.callBuffer('eval', SAVE, 0, `${prefix}*`)).map((part) =>
    typeof part === 'number' ? part : asBuffer(part),
  );
}

/** Brings all keys under the prefix back to what they were; those that are new since are gone. */
export async function restoreKeysUnder(redis: RedisConnection, prefix: string, saved: SavedKeys): Promise<void> {
  await redis.callBuffer('eval', RESTORE, 0, `${prefix}*`, ...saved);
}

function parse(reply: unknown): StoredKeys {
  const [now, keys] = asArray(reply);
  const values = asArray(keys).map((part): [string, StoredValue] => {
    const [key, kind, value] = asArray(part);
    return [asText(key), valueOf(asText(kind), value)];
  });
  return { nowMs: asNumber(now), values: new Map(values) };
}

function valueOf(kind: string, value: unknown): StoredValue {
  switch (kind) {
    case 'string':
      return { kind, bytes: asBuffer(value) };
    case 'list': {
      const bytes = asArray(value).map(asBuffer);
      return { kind, bytes, entries: bytes.map((entry) => entry.toString()) };
    }
    case 'set':
      return { kind, entries: asArray(value).map(asText) };
    case 'zset':
      return { kind, scores: new Map(pairsOf(value).map(([member, score]) => [member, Number(score.toString())])) };
    case 'hash':
      return { kind, fields: new Map(pairsOf(value)) };
    default:
      throw new Error(`The tests cannot read a key of the type ${kind}.`);
  }
}

function pairsOf(flat: unknown): [string, Buffer][] {
  const parts = asArray(flat).map(asBuffer);
  return Array.from({ length: parts.length / 2 }, (_, index) => [
    (parts[2 * index] ?? Buffer.alloc(0)).toString(),
    parts[2 * index + 1] ?? Buffer.alloc(0),
  ]);
}
