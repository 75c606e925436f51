import { TypeKeys } from '../../../libs/jobs/src/store/keys.js';

/** Idempotency keys that the load uses again and again, all of one type. What was answered under one is kept for a day. */
export const IDEMPOTENCY_KEYS = 50;
/** Dedupe keys that it uses again and again, of each type. One is held for ten minutes. */
export const DEDUPE_KEYS = 20;

/**
 * Of the keys that there are, those that nothing accounts for when all jobs have ended and been removed, while apis and workers are there. However
 * many they are, three keys remain for all, six for each type, and those that clients have taken for some time.
 */
export function unexplainedKeys(keys: readonly string[], prefix: string, types: readonly string[]): string[] {
  // The second one holds whether Redis takes writes, for ten seconds after somebody looked.
  const ofAll = [`${prefix}:{WORKERS}:presence`, `${prefix}:{PROBE}:probe`, `${prefix}:{SWEEPS}:turn`];
  const ofTypes = types.flatMap((type) => {
    const { layout, origin, seq, workers, lanes, idle } = new TypeKeys(prefix, type);
    return [layout, origin, seq, workers, lanes, idle];
  });
  const taken = (kind: string, most: number) => keys.filter((key) => key.includes(`}:${kind}:`)).slice(0, most);
  const ofClients = [...taken('once', IDEMPOTENCY_KEYS), ...taken('dedupe', DEDUPE_KEYS * types.length)];
  const explained = new Set([...ofAll, ...ofTypes, ...ofClients]);
  return keys.filter((key) => !explained.has(key));
}
