/** Lets a process run one suspect at a time, so that a killer takes no neighbour to the grave. */
export class SuspectPermit {
  private taken = false;
  private readonly waiting = new Set<() => void>();

  /** Whether the caller has it now. */
  take(): boolean {
    if (this.taken) return false;
    this.taken = true;
    return true;
  }

  release(): void {
    this.taken = false;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const listener of waiting) listener();
  }

  /** Somebody has suspects to run and cannot. */
  get isAwaited(): boolean {
    return this.waiting.size > 0;
  }

  /** Told once, when the permit is free. */
  onceFree(listener: () => void): void {
    if (this.taken) this.waiting.add(listener);
    else listener();
  }

  /** There is nothing to wait for any more. */
  forget(listener: () => void): void {
    this.waiting.delete(listener);
  }
}
