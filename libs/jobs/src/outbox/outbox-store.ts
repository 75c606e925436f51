/** A job that waits in the application's database until it is handed to Redis. */
export interface OutboxRow {
  /** Of the job that it becomes. */
  readonly jobId: string;
  readonly type: string;
  /** What {@link Outbox} wrote; nobody else reads it. At most about 1.4 times the largest payload, in ASCII. */
  readonly entry: string;
}

export interface TakenRow extends OutboxRow {
  /** For so long it has waited, by the clock of the database. */
  readonly ageMs: number;
}

export interface OutboxLag {
  readonly rows: number;
  /** 0 when none waits. */
  readonly oldestMs: number;
}

/**
 * Where an application keeps the jobs that it writes together with its own data.
 * @typeParam Tx a transaction of its database, under way.
 */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- each implementation says what its transactions are
export abstract class OutboxStore<Tx> {
  /** How long rows of other processes may go unnoticed; a store that hears of them by {@link onAdded} can be asked seldom. */
  abstract readonly pollMs: number;

  /** Writes rows as a part of the transaction. */
  abstract add(tx: Tx, rows: readonly OutboxRow[]): Promise<void>;

  /**
   * Takes rows that nobody has, at most `limit`, for so long: nobody else gets them before the lease is over. Those that were never
   * taken go first, the oldest before the others, then those that have been free the longest: rows that are put back again and again
   * are in nobody's way. Several relays may take at the same moment.
   */
  abstract take(limit: number, leaseMs: number): Promise<readonly TakenRow[]>;

  /** The jobs are in Redis. Rows that are gone already are no error. */
  abstract remove(jobIds: readonly string[]): Promise<void>;

  /** Lets the rows be taken again after the delay. */
  abstract putBack(jobIds: readonly string[], delayMs: number): Promise<void>;

  abstract lag(): Promise<OutboxLag>;

  /** Calls back, from now on, when rows may have been added; a call too many does no harm. */
  abstract onAdded(callback: () => void): void;
}
