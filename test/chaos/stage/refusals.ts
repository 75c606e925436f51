import { Script } from '../../../libs/jobs/src/store/script.js';
import type { Answered } from '../../support/reply-dropper.js';
import type { Refusal } from '../ledger/entries.js';

/** The calls that bring jobs in, and that claim and settle them, by the hash by which Redis knows them. */
const CALLS: ReadonlySet<string | undefined> = new Set(['enqueue', 'exchange'].map((name) => new Script(name).sha));
const ERRORS = ['OOM', 'NOSCRIPT'] as const;
const ERROR_MARK = '-'.charCodeAt(0);

/** What is to be written down of a reply: that Redis refused one of these calls as it does when a fault hits it; undefined for any other. */
export function refusalIn({ args: [, sha], reply }: Answered): Refusal | undefined {
  if (reply[0] !== ERROR_MARK || !CALLS.has(sha?.toString())) return undefined;
  const error = ERRORS.find((code) => reply.toString('latin1', 1).startsWith(`${code} `));
  return error && { error };
}
