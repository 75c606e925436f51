import { connectRedis } from '@antrean/platform';
import { Link } from '../store/link.js';
import type { ProducerOptions } from './producer-options.js';

/** The token of the {@link Link} that jobs are submitted on. */
export const SUBMIT_LINK = Symbol('SUBMIT_LINK');

/** While it waits for a replica a connection carries nothing else, so then it is not the one that reads and claims. */
export function submitLink(link: Link, { durability, redisUrl, keyPrefix, logger }: ProducerOptions): Link {
  if (durability !== 'replicated') return link;
  return new Link(connectRedis(redisUrl, { name: 'antrean-submits', logger }), keyPrefix, link.gate);
}
