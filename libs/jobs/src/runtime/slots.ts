/** The jobs that a process may run at once, shared between its types so that none starves while another is served. */
export class Slots {
  private readonly shares: Share[] = [];
  private taken = 0;
  private turns = 0;

  constructor(private readonly total: number) {}

  /**
   * @param limit jobs that the type may run at once
   * @param onRoom told when a share that was given less than it could use may be given more
   */
  share(limit: number, onRoom: () => void): Share {
    const share = new Share(this, limit, onRoom);
    this.shares.push(share);
    return share;
  }

  /** For shares only. */
  noteTaken(count: number): number {
    this.taken += count;
    this.turns += 1;
    return this.turns;
  }

  /** For shares only: a slot is free, or another share wants none any more. */
  noteRoom(): void {
    for (const share of this.shares) share.tellRoom();
  }

  /**
   * How many slots a share may take now: free ones go to the hungry shares with the fewest, and among equals to the one that
   * was served longest ago.
   */
  grantFor(asking: Share): number {
    const free = this.total - this.taken;
    if (free <= 0) return 0;
    const hungry = this.shares.filter((share) => share === asking || (share.hungry && !share.away && share.room > 0));
    if (hungry.length === 1) return Math.min(free, asking.room);
    const level = levelOf(hungry, free);
    const given = upTo(level, asking);
    const rest = free - hungry.reduce((sum, share) => sum + upTo(level, share), 0);
    if (given === asking.room || asking.taken > level) return given;
    const before = hungry.filter(
      (share) => share.taken <= level && upTo(level, share) < share.room && share.servedAt < asking.servedAt,
    );
    return before.length < rest ? given + 1 : given;
  }
}

/** One type's part in the slots of its process. */
export class Share {
  taken = 0;
  /** Its calls are not answered: what it could have is for others meanwhile. */
  away = false;
  /** When it was last given a slot, in turns; the smaller, the longer ago. */
  servedAt = 0;
  private wants = true;
  private short = false;

  constructor(
    private readonly slots: Slots,
    private readonly limit: number,
    private readonly onRoom: () => void,
  ) {}

  /** Whether there may be jobs for it. */
  get hungry(): boolean {
    return this.wants;
  }

  set hungry(hungry: boolean) {
    const sated = this.wants && !hungry;
    this.wants = hungry;
    if (sated) this.slots.noteRoom();
  }

  /** Jobs more that the type may run, were there slots. */
  get room(): number {
    return this.limit - this.taken;
  }

  get claimable(): number {
    if (this.room <= 0) return 0;
    const grant = this.slots.grantFor(this);
    this.short = grant < this.room;
    return grant;
  }

  take(count: number): void {
    if (count === 0) return;
    this.taken += count;
    this.servedAt = this.slots.noteTaken(count);
  }

  release(count: number): void {
    if (count === 0) return;
    this.taken -= count;
    this.slots.noteTaken(-count);
    this.slots.noteRoom();
  }

  /** For the slots only. */
  tellRoom(): void {
    if (!this.short) return;
    this.short = false;
    this.onRoom();
  }
}

/** Slots that a share is given when all are filled up to the level. */
function upTo(level: number, share: Share): number {
  return Math.max(Math.min(level - share.taken, share.room), 0);
}

/** The highest level up to which the free slots fill all shares. */
function levelOf(shares: readonly Share[], free: number): number {
  let low = 0;
  let high = free + Math.max(...shares.map(({ taken }) => taken));
  while (low < high) {
    const level = Math.ceil((low + high) / 2);
    const cost = shares.reduce((sum, share) => sum + upTo(level, share), 0);
    if (cost <= free) low = level;
    else high = level - 1;
  }
  return low;
}
