import { readAnswerAgain, type Once, type OnceReply } from './once.js';
import type { Link } from './link.js';
import { asBuffer } from './reply.js';
import { Script } from './script.js';

const script = new Script('once-answer');

/** What a submit under the once key is answered now, without submitting it; undefined when the key is new. */
export async function onceAnswer(
  link: Link,
  type: string,
  { key, hash }: Pick<Once, 'key' | 'hash'>,
): Promise<OnceReply | undefined> {
  const keys = link.keys(type);
  const reply = asBuffer(await script.run(link.redis, [keys.clock, keys.once(key)], [hash]));
  return reply.length === 0 ? undefined : readAnswerAgain(reply);
}
