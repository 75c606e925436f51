import type { Link } from './link.js';
import { asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('note');

/** What a handler tells of its job while it runs. */
export interface Note {
  readonly ulid: string;
  readonly token: Buffer;
  readonly kind: 'progress' | 'checkpoint' | 'log' | `step:${string}`;
  readonly json: string;
}

/** Writes notes, at most 64 and about 1 MiB. For each whether it was written; false: the token no longer counts. */
export async function note(link: Link, type: string, notes: readonly Note[]): Promise<readonly boolean[]> {
  const keys = link.keys(type);
  const args = notes.flatMap(({ ulid, token, kind, json }) => [ulid, token, kind, json]);
  return Array.from(asText(await script.run(link.redis, [keys.clock, keys.running], args)), (letter) => letter === '+');
}
