/** Those that wait for one moment, each for as long as it likes. Who gives up leaves nothing behind, however long the moment takes. */
export class Waiters {
  private readonly waiting = new Set<() => void>();

  /** Resolves true at the next `release`, false when `ms` are over first. */
  within(ms: number): Promise<boolean> {
    return new Promise((resolve) => {
      const end = (released: boolean): void => {
        clearTimeout(timer);
        this.waiting.delete(release);
        resolve(released);
      };
      const release = (): void => {
        end(true);
      };
      const timer = setTimeout(end, ms, false);
      this.waiting.add(release);
    });
  }

  release(): void {
    for (const release of this.waiting) release();
  }
}
