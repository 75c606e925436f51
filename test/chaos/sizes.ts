/** How large a campaign is. */
export interface Sizes {
  readonly leaseMs: number;
  /** Submits a second, all the time. */
  readonly perSecond: number;
  /** Jobs that run at once when half of the workers, and so half of these runs, are killed together. The other half has room for all. */
  readonly crowd: number;
  /** Jobs that a worker runs at once. */
  readonly slots: number;
}

const LONG_MINUTES = 5;

/** A short campaign has to get by with short leases: the effect of a fault must be over before the campaign is. */
export function sizesFor({ minutes, soak }: { readonly minutes: number; readonly soak: boolean }): Sizes {
  if (soak) return { leaseMs: 3_000, perSecond: 40, crowd: 0, slots: 1_000 };
  return minutes < LONG_MINUTES
    ? { leaseMs: 3_000, perSecond: 40, crowd: 200, slots: 1_000 }
    : { leaseMs: 10_000, perSecond: 50, crowd: 20_000, slots: 10_000 };
}
