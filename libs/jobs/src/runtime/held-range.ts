interface Range {
  readonly low: number;
  readonly high: number;
}

/**
 * How many jobs Redis may count under this worker. Calls under way change the count at a moment that the worker does not know,
 * so a heartbeat's answer is held against all that was possible since the beat before the last. A net: under a worker whose calls
 * are always under way, a job more than it knows of is explained by what they ask for. So it also reconciles after what can make one
 * (`Claimer.reconcileSoon`).
 */
export class HeldRange {
  private asked = 0;
  private settling = 0;
  private before: Range = { low: 0, high: 0 };
  private range: Range = { low: 0, high: 0 };
  private beatsOff = 0;

  /** @param unsettled claimed jobs that the worker does not know to be settled. */
  constructor(private readonly unsettled: () => number) {}

  /** A call leaves that asks for jobs and settles others. */
  sent(asked: number, settles: number): void {
    this.asked += asked;
    this.settling += settles;
    this.widen();
  }

  /** What became of the call is known, and counted. */
  answered(asked: number, settles: number): void {
    this.asked -= asked;
    this.settling -= settles;
    this.widen();
  }

  /** Takes in what a beat found; true when it was beyond the range twice in a row. */
  isOff(held: number): boolean {
    const { low, high } = this.range;
    const isBeyond = held < Math.min(low, this.before.low) || held > Math.max(high, this.before.high);
    this.before = this.range;
    this.range = this.possible;
    this.beatsOff = isBeyond ? this.beatsOff + 1 : 0;
    if (this.beatsOff < 2) return false;
    this.beatsOff = 0;
    return true;
  }

  private get possible(): Range {
    const unsettled = this.unsettled();
    return { low: unsettled - this.settling, high: unsettled + this.asked };
  }

  private widen(): void {
    const { low, high } = this.possible;
    this.range = { low: Math.min(this.range.low, low), high: Math.max(this.range.high, high) };
  }
}
