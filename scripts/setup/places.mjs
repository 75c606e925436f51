import { fileURLToPath } from 'node:url';
import { join } from 'node:path';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url)).replace(/\/$/, '');

/** @param {string[]} parts a path inside the project */
export const inProject = (...parts) => join(ROOT, ...parts);

/** What can be fetched or made again. */
export const CACHE = inProject('.cache');
/** Records of what runs: gone after a proper stop. */
export const RUN = inProject('.data', 'run');
/** The default of DATABASE_URL. */
export const SHOP_DATA = inProject('.data', 'antrean.db');
export const REDIS_DATA = inProject('.data', 'redis');
