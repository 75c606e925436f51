export type { Logger } from 'pino';
export { closeRedis, connectRedis, waitUntilReady, type ConnectOptions, type RedisConnection } from './redis/connect-redis.js';
export { parseRedisUrl, type RedisTarget } from './redis/redis-url.js';
