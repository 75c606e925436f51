import type { Redis } from 'ioredis';

/** Remembers the keys of a pattern as they are; what it returns brings them back, as a Redis would that has lost what was written since. */
export async function rememberKeys(redis: Redis, pattern: string): Promise<() => Promise<void>> {
  const remembered = await Promise.all(
    (await redis.keys(pattern)).map(async (key) => ({ key, value: await redis.dumpBuffer(key) })),
  );
  return async () => {
    const restore = redis.multi().unlink(...(await redis.keys(pattern)));
    for (const { key, value } of remembered) restore.restore(key, 0, value);
    await restore.exec();
  };
}
