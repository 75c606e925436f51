import { randomFraction } from '@antrean/platform';
import { monotonicFactory } from 'ulid';

const nextUlid = monotonicFactory(randomFraction);

/** A new ULID: sorted by this host's clock and counted up within a millisecond. Nothing is decided by the time in it. */
export function newUlid(): string {
  return nextUlid();
}
