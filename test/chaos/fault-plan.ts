import { Random } from './random.js';

export const FAULT_KINDS = [
  'kill_worker',
  'kill_api',
  'kill_redis',
  'stop_worker',
  'cut',
  'half_open',
  'drop_reply',
  'clock',
  'full_memory',
  'flush_scripts',
] as const;
export type FaultKind = (typeof FAULT_KINDS)[number];

/** One fault to come. */
export interface PlannedFault {
  readonly kind: FaultKind;
  /** From the begin of the faults. */
  readonly atMs: number;
  /** How long it lasts; 0 for what is over at once. */
  readonly forMs: number;
  /** Chooses the process that it hits, from 0 to 1, and which of two ways it takes. */
  readonly target: number;
  readonly way: 0 | 1;
}

export interface PlanSettings {
  readonly seed: number;
  readonly durationMs: number;
  readonly leaseMs: number;
  readonly kinds: readonly FaultKind[];
}

/** Times that each kind occurs at least. */
export const LEAST_TIMES = 3;
const PAUSE_MS = 4_000;

/** Rounds of all kinds, each round in an order of its own, evenly over the time but for some jitter; each kind goes round all processes, and takes both ways. */
export function planFaults({ seed, durationMs, leaseMs, kinds }: PlanSettings): PlannedFault[] {
  const random = new Random(seed);
  const rounds = Math.max(LEAST_TIMES, Math.floor(durationMs / (kinds.length * PAUSE_MS)));
  const byKind = kinds.map((kind) => drawFaults(kind, rounds, leaseMs, random));
  const order = Array.from({ length: rounds }, (_, round) =>
    random.shuffled(byKind.flatMap((faults) => faults[round] ?? [])),
  ).flat();
  const pauseMs = durationMs / order.length;
  return order.map((fault, index) => ({ ...fault, atMs: Math.round(pauseMs * (index + 0.5 * random.fraction())) }));
}

/** Drawn one by one, all faults of a kind might hit apis alone, or all take the same way. */
function drawFaults(kind: FaultKind, times: number, leaseMs: number, random: Random): Omit<PlannedFault, 'atMs'>[] {
  const firstWay = random.whole(0, 1);
  const parts = random.shuffled(Array.from({ length: times }, (_, part) => part));
  return parts.map((part, index) => ({
    kind,
    forMs: lengthOf(kind, leaseMs, random),
    target: (part + random.fraction()) / times,
    way: (firstWay + index) % 2 === 0 ? 0 : 1,
  }));
}

function lengthOf(kind: FaultKind, leaseMs: number, random: Random): number {
  switch (kind) {
    case 'kill_worker':
    case 'kill_api':
    case 'kill_redis':
      return random.whole(100, 1_500);
    // Past the lease, and past the reaping that follows.
    case 'stop_worker':
      return Math.round(leaseMs * (1.3 + 0.5 * random.fraction()));
    case 'clock':
      return random.whole(2_000, 5_000);
    case 'full_memory':
      return random.whole(500, 2_000);
    case 'cut':
    case 'half_open':
    case 'drop_reply':
    case 'flush_scripts':
      return 0;
  }
}
