const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 10_000;

/** How the starts of a type's threads went, so that a module that cannot start is not tried without end. */
export class BootRecord {
  private failures = 0;
  private notBefore = 0;
  private proven = false;

  /** @returns true when it is the first failure since the last success. `nowMs` is monotonic, here and below. */
  failed(nowMs: number): boolean {
    this.failures += 1;
    this.proven = false;
    this.notBefore = nowMs + Math.min(FIRST_WAIT_MS * 2 ** (this.failures - 1), LONGEST_WAIT_MS);
    return this.failures === 1;
  }

  /** @returns true when starts failed before. */
  succeeded(): boolean {
    const recovered = this.failures > 0;
    this.failures = 0;
    this.proven = true;
    return recovered;
  }

  /** Milliseconds until the next start may be tried. */
  waitMs(nowMs: number): number {
    return this.failures === 0 ? 0 : Math.max(this.notBefore - nowMs, 0);
  }

  /**
   * How many threads to start now. Until a start went well there is one at a time, so that a broken module fails once.
   * @param waiting jobs without a thread
   * @param booting threads on their way up
   * @param threads all there are, those included that are on their way up or down
   */
  startsFor(waiting: number, booting: number, threads: number, size: number): number {
    const wanted = Math.min(waiting - booting, size - threads);
    return Math.max(this.proven ? wanted : Math.min(wanted, 1 - booting), 0);
  }
}
