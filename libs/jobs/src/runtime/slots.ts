/** The jobs that a process may run at once, all types together. */
export class Slots {
  /** Told whenever a slot becomes free: another type may be waiting for it. */
  onRelease: () => void = () => undefined;
  private taken = 0;

  constructor(private readonly total: number) {}

  get free(): number {
    return Math.max(this.total - this.taken, 0);
  }

  take(count: number): void {
    this.taken += count;
  }

  release(count: number): void {
    const wasFull = this.taken >= this.total;
    this.taken -= count;
    if (wasFull && this.taken < this.total) this.onRelease();
  }
}
