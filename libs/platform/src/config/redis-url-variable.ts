import { parseRedisUrl } from '../redis/redis-url.js';
import { Wrong, type Variable } from './variable.js';

/** Where Redis is. The default serves an application started alone; `npm start` gives its own. */
export const redisUrl: Variable<string> = {
  name: 'REDIS_URL',
  expected: 'the address of a Redis server, of its Sentinels, or a comma list of Cluster nodes',
  fallback: 'redis://127.0.0.1:6379',
  secret: true,
  parse: (text) => {
    try {
      parseRedisUrl(text);
      return text;
    } catch (error) {
      if (error instanceof TypeError) return new Wrong(`it ${error.message.replace(/\.$/, '')}`);
      throw error;
    }
  },
};
