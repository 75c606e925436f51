import { openBareRedis } from './bare-redis.js';
import { openBullmq } from './bullmq.js';
import { openOurs } from './ours.js';
import type { OpenSide } from './side.js';

export const SIDES = { ours: openOurs, peer: openBullmq, bare: openBareRedis } satisfies Record<string, OpenSide>;

export type SideName = keyof typeof SIDES;
