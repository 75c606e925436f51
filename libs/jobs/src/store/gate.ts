/** Keeps work from a Redis until it is known to be fit. Opens once and stays so. */
export class Gate {
  /** Whether it will ever open; undecided until then. */
  readonly opens: Promise<boolean>;
  private decide: (opens: boolean) => void = () => undefined;
  private state: 'closed' | 'open' | 'refused' = 'closed';
  private held = 'Redis has not been checked yet.';

  constructor() {
    this.opens = new Promise((resolve) => {
      this.decide = resolve;
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
    this.state = 'open';
    this.decide(true);
  }

  /** Stays closed for now. */
  hold(reason: string): void {
    this.held = reason;
  }

  /** Stays closed for good. */
  refuse(reason: string): void {
    this.held = reason;
    this.state = 'refused';
    this.decide(false);
  }

  /** Resolves true as soon as it is open, false when that takes longer, or will never be. */
  async opensWithin(ms: number): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const timeIsUp = new Promise<boolean>((resolve) => {
      timer = setTimeout(resolve, ms, false);
    });
    const opens = await Promise.race([this.opens, timeIsUp]);
    clearTimeout(timer);
    return opens;
  }
}
