import type { Link } from './link.js';

/** What earlier runs of a job left for the next, as JSON. */
export interface Gathered {
  readonly checkpointJson: string | undefined;
  /** By the step's name. */
  readonly stepJsons: ReadonlyMap<string, string>;
}

export const NOTHING_GATHERED: Gathered = { checkpointJson: undefined, stepJsons: new Map() };

const STEP = 'step:';

export async function gathered(link: Link, type: string, ulid: string): Promise<Gathered> {
  const fields = Object.entries(await link.redis.hgetall(link.keys(type).extra(ulid)));
  return {
    checkpointJson: fields.find(([field]) => field === 'checkpoint')?.[1],
    stepJsons: new Map(
      fields.filter(([field]) => field.startsWith(STEP)).map(([field, json]) => [field.slice(STEP.length), json]),
    ),
  };
}
