import { Waiters } from '@antrean/platform';

/** Keeps work from a Redis until it is known to be fit. What was decided once, stays so. */
export class Gate {
  /** Whether it will ever open; undecided until then. */
  readonly opens: Promise<boolean>;
  private settle: (opens: boolean) => void = () => undefined;
  private readonly waiters = new Waiters();
  private state: 'closed' | 'open' | 'refused' = 'closed';
  private held = 'Redis has not been checked yet.';

  constructor() {
    this.opens = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** One that nobody has to open. */
  static opened(): Gate {
    const gate = new Gate();
    gate.open();
    return gate;
  }

  get isOpen(): boolean {
    return this.state === 'open';
  }

  get isRefused(): boolean {
    return this.state === 'refused';
  }

  /** Why nothing passes, in plain words and without addresses; undefined when it is open. */
  get reason(): string | undefined {
    return this.isOpen ? undefined : this.held;
  }

  open(): void {
    this.decide('open');
  }

  /** Stays closed for now. */
  hold(reason: string): void {
    if (this.state === 'closed') this.held = reason;
  }

  /** Stays closed for good. */
  refuse(reason: string): void {
    this.hold(reason);
    this.decide('refused');
  }

  /** Resolves true as soon as it is open, false when that takes longer, or will never be. */
  async opensWithin(ms: number): Promise<boolean> {
    if (this.state === 'closed') await this.waiters.within(ms);
    return this.isOpen;
  }

  private decide(state: 'open' | 'refused'): void {
    if (this.state !== 'closed') return;
    this.state = state;
    this.waiters.release();
    this.settle(this.isOpen);
  }
}
