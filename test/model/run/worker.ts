import { tokenOf, type Call } from '../rules/exchange.js';
import type { Token } from '../rules/job.js';

/** A lane as its worker knows it. */
interface Lane {
  /** Number of the last call. */
  number: number;
  /** Exchanges that were sent, the latest last. */
  readonly sent: Call[];
  /** The answer to the last one is still out. */
  waiting: boolean;
}

/** What a worker of one type remembers; Redis may know better. */
export interface Memory {
  readonly lanes: readonly [Lane, Lane];
  /** The jobs that it believes to run, by ulid. */
  readonly holds: Map<string, Token>;
}

const newLane = (): Lane => ({ number: 0, sent: [], waiting: false });
const newMemory = (): Memory => ({ lanes: [newLane(), newLane()], holds: new Map() });

/** A worker that does nothing but call and remember. */
export class TestWorker {
  private readonly memories: readonly [Memory, Memory] = [newMemory(), newMemory()];

  constructor(
    readonly number: string,
    /** Of the newest payloads that it reads. */
    readonly version: number,
  ) {}

  of(side: 0 | 1): Memory {
    return this.memories[side];
  }
}

/** The worker hears the answer to a call. */
export function hear(memory: Memory, call: Call, claimed: readonly string[]): void {
  memory.lanes[call.lane === 0 ? 0 : 1].waiting = false;
  for (const { ulid, token } of call.settles) if (memory.holds.get(ulid) === token) memory.holds.delete(ulid);
  for (const ulid of claimed) memory.holds.set(ulid, tokenOf(call));
}
