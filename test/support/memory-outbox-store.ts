import { OutboxStore, type OutboxLag, type OutboxRow, type TakenRow } from '@antrean/jobs';

/** What one transaction is to write. */
export type MemoryTransaction = OutboxRow[];

interface Stored extends OutboxRow {
  readonly addedAt: number;
  freeAt: number;
}

/** An outbox in memory, whose clock is moved by the test. */
export class MemoryOutboxStore extends OutboxStore<MemoryTransaction> {
  override readonly pollMs = 1_000;
  nowMs = 0;
  private readonly rows = new Map<string, Stored>();
  private added: () => void = () => undefined;

  /** Ids of the jobs that wait. */
  get waiting(): readonly string[] {
    return [...this.rows.keys()];
  }

  /** Runs `work` and writes what it added. */
  async inTransaction<T>(work: (tx: MemoryTransaction) => Promise<T>): Promise<T> {
    const tx: MemoryTransaction = [];
    const result = await work(tx);
    this.put(...tx);
    return result;
  }

  put(...rows: readonly OutboxRow[]): void {
    for (const row of rows) this.rows.set(row.jobId, { ...row, addedAt: this.nowMs, freeAt: 0 });
    this.added();
  }

  override add(tx: MemoryTransaction, rows: readonly OutboxRow[]): Promise<void> {
    tx.push(...rows);
    return Promise.resolve();
  }

  override take(limit: number, leaseMs: number): Promise<readonly TakenRow[]> {
    const free = [...this.rows.values()]
      .filter(({ freeAt }) => freeAt <= this.nowMs)
      .sort((one, other) => one.freeAt - other.freeAt)
      .slice(0, limit);
    for (const row of free) row.freeAt = this.nowMs + leaseMs;
    return Promise.resolve(free.map((row) => ({ ...row, ageMs: this.nowMs - row.addedAt })));
  }

  override remove(jobIds: readonly string[]): Promise<void> {
    for (const id of jobIds) this.rows.delete(id);
    return Promise.resolve();
  }

  override putBack(jobIds: readonly string[], delayMs: number): Promise<void> {
    for (const row of this.rows.values()) if (jobIds.includes(row.jobId)) row.freeAt = this.nowMs + delayMs;
    return Promise.resolve();
  }

  override lag(): Promise<OutboxLag> {
    const ages = [...this.rows.values()].map(({ addedAt }) => this.nowMs - addedAt);
    return Promise.resolve({ rows: ages.length, oldestMs: Math.max(0, ...ages) });
  }

  override onAdded(callback: () => void): void {
    this.added = callback;
  }
}
