import { toMs } from '../definition/duration.js';
import type { JobCatalog } from '../definition/job-catalog.js';
import type { JobRecord } from '../store/record.js';

/** For a type that is defined no more. */
const DEFAULT_DEDUPE_TTL_MS = toMs('10m');

/** How long a replayed job holds its dedupe key by the policy `ttl`: as long as at the submit; 0 with any other policy. */
export function replayTtlMs(catalog: JobCatalog, type: string, { dedupePolicy, facts }: JobRecord): number {
  if (dedupePolicy !== 'ttl') return 0;
  return facts.dedupeTtlMs ?? catalog.find(type)?.dedupe.ttlMs ?? DEFAULT_DEDUPE_TTL_MS;
}
