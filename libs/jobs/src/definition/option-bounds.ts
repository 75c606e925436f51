import { MAX_RETRY_DELAY_MS } from './retry-policy.js';

/** How many characters the texts of a submit's options may have, as people count them: a pair of surrogates is one. */
export const TEXT_BOUNDS = {
  dedupeKey: { min: 1, max: 255 },
  onceKey: { min: 1, max: 255 },
  onceContent: { min: 1, max: 255 },
  userId: { min: 1, max: 128 },
  requestId: { min: 1, max: 128 },
  tag: { min: 1, max: 64 },
  metadataKey: { min: 1, max: 64 },
  metadataValue: { min: 0, max: 512 },
  webhookUrl: { min: 1, max: 2_048 },
  secretName: { min: 1, max: 64 },
} as const;

export const MOST_TAGS = 10;
export const MOST_METADATA = 20;

/** What a back-off that comes with a submit may ask for. */
export const BACKOFF_BOUNDS = {
  delayMs: { min: 0, max: MAX_RETRY_DELAY_MS },
  factor: { min: 1, max: 100 },
} as const;
