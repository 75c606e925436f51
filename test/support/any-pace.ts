import type { PromotionPace } from '../../libs/jobs/src/store/promote.js';

/** So wide that no test reaches its end. */
export const ANY_PACE: PromotionPace = { jobs: 1_000_000, windowMs: 1_000 };
