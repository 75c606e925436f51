import { readdir } from 'node:fs/promises';
import type { Stage } from '../stage/stage.js';

/** What there is at one moment, by its name; heaps by their process. */
export type Sample = Readonly<Record<string, number>>;

/** @param folder where all processes may leave something */
export async function takeSample({ redis, targets }: Stage, folder: string): Promise<Sample> {
  const heaps = await Promise.all(targets.map(async ({ place }) => [`heap ${place.name}`, await place.heapBytes()] as const));
  const files = await readdir(folder, { recursive: true });
  return { ...(await redis.usage()), files: files.length, ...Object.fromEntries(heaps) };
}
