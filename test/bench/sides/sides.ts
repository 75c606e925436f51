import type { OpenSide } from './side.js';

export type SideName = 'ours' | 'peer' | 'bare';

/** Loads one side alone, so that no process carries what it does not measure. */
export const SIDES: Readonly<Record<SideName, () => Promise<OpenSide>>> = {
  ours: async () => (await import('./ours.js')).openOurs,
  peer: async () => (await import('./bullmq.js')).openBullmq,
  bare: async () => (await import('./bare-redis.js')).openBareRedis,
};
