import { setTimeout as pause } from 'node:timers/promises';
import type { PlannedFault } from './fault-plan.js';
import type { Fault } from './ledger/entries.js';
import type { Progress } from './progress.js';
import type { Stage, Target } from './stage/stage.js';

/** How far a clock is set off. */
const CLOCK_SEC = 300;
/** libfaketime looks for a new time once a second. */
const CLOCK_LAG_MS = 1_500;
/** How long an api stands still before it is killed. */
const HELD_MS = 300;
/** For a process that another fault is at work on. */
const LOOK_AGAIN_MS = 50;

/** Lets faults happen and writes them down. Faults of different processes may go on at once, those of Redis take turns. */
export class Faults {
  private redisTurn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly stage: Stage,
    private readonly progress: Progress,
  ) {}

  /** Resolves once all is as before, but for what the fault did. */
  async carryOut(planned: PlannedFault): Promise<void> {
    const { stage } = this;
    const { forMs, way } = planned;
    switch (planned.kind) {
      case 'kill_worker':
        return this.on(stage.workers, planned, (target) => this.kill([target], 'kill_worker', forMs));
      case 'kill_api':
        return this.on(stage.apis, planned, async (target) => {
          // A submit takes some milliseconds: so it has some in hand.
          target.place.signal('SIGSTOP');
          await pause(HELD_MS);
          await this.kill([target], 'kill_api', forMs);
        });
      case 'stop_worker':
        return this.on(stage.workers, planned, (target) => this.stop(target, forMs));
      case 'clock':
        return this.on(stage.targets, planned, (target) => this.setClock(target, way === 0 ? CLOCK_SEC : -CLOCK_SEC, forMs));
      case 'cut':
      case 'half_open':
        return this.on(stage.targets, planned, async ({ place, proxy }) => {
          const fromMs = await stage.ledger.nowMs();
          if (planned.kind === 'cut') proxy.cut();
          else proxy.freeze();
          await this.write({ kind: planned.kind, fromMs, untilMs: fromMs, processes: [place.process] });
        });
      case 'drop_reply':
        return this.on(stage.targets, planned, (target) => this.dropReply(target, way === 0 ? 'close' : 'half_open'));
      case 'kill_redis':
        return this.onRedis(() => this.killRedis(forMs));
      case 'full_memory':
        return this.onRedis(async () => {
          const fromMs = await stage.ledger.nowMs();
          await stage.redis.fill();
          await pause(forMs);
          await stage.redis.empty();
          await this.writeLasting('full_memory', fromMs);
        });
      case 'flush_scripts':
        return this.onRedis(async () => {
          const fromMs = await stage.ledger.nowMs();
          await stage.redis.flushScripts();
          await this.writeLasting('flush_scripts', fromMs);
        });
    }
  }

  /** Kills several at once and starts them again after a while. */
  async kill(targets: readonly Target[], kind: 'kill_worker' | 'kill_api', forMs: number): Promise<void> {
    const fromMs = await this.stage.ledger.nowMs();
    const processes = targets.map(({ place }) => place.process);
    await Promise.all(targets.map(({ place }) => place.kill()));
    await pause(forMs);
    await Promise.all(targets.map(({ place }) => place.start()));
    await this.writeLasting(kind, fromMs, processes);
  }

  private async stop({ place }: Target, forMs: number): Promise<void> {
    const fromMs = await this.stage.ledger.nowMs();
    place.signal('SIGSTOP');
    await pause(forMs);
    place.signal('SIGCONT');
    await this.writeLasting('stop_worker', fromMs, [place.process]);
  }

  private async setClock({ place, clock }: Target, offsetSec: number, forMs: number): Promise<void> {
    clock?.set(offsetSec);
    await pause(CLOCK_LAG_MS);
    const fromMs = await this.stage.ledger.nowMs();
    await pause(forMs);
    clock?.set(0);
    await this.writeLasting('clock', fromMs, [place.process]);
  }

  private async dropReply({ place, proxy }: Target, loss: 'close' | 'half_open'): Promise<void> {
    await proxy.dropNext(loss, ({ args: [name] }) => name?.toString() === 'evalsha');
    const fromMs = await this.stage.ledger.nowMs();
    await this.write({ kind: 'drop_reply', fromMs, untilMs: fromMs, processes: [place.process] });
  }

  private async killRedis(forMs: number): Promise<void> {
    const { redis, ledger } = this.stage;
    const fromMs = await ledger.nowMs();
    const lostFromMs = await redis.kill(fromMs);
    await pause(forMs);
    await redis.restart();
    const untilMs = await ledger.nowMs();
    const processes = undefined;
    await this.write({ kind: 'kill_redis', fromMs, untilMs, processes, ...(lostFromMs !== undefined && { lostFromMs }) });
  }

  private async on(targets: readonly Target[], { target }: PlannedFault, act: (target: Target) => Promise<void>): Promise<void> {
    for (;;) {
      const free = targets.filter(({ place }) => !place.taken);
      const chosen = free[Math.floor(target * free.length)];
      if (chosen === undefined) {
        await pause(LOOK_AGAIN_MS);
        continue;
      }
      chosen.place.taken = true;
      try {
        await act(chosen);
      } finally {
        chosen.place.taken = false;
      }
      return;
    }
  }

  private onRedis(act: () => Promise<void>): Promise<void> {
    const turn = this.redisTurn.then(act);
    this.redisTurn = turn.catch(() => undefined);
    return turn;
  }

  private async writeLasting(kind: Fault['kind'], fromMs: number, processes?: readonly string[]): Promise<void> {
    await this.write({ kind, fromMs, untilMs: await this.stage.ledger.nowMs(), processes });
  }

  private async write(fault: Fault): Promise<void> {
    await this.stage.ledger.write('faults', fault);
    this.progress.sayFault(fault);
  }
}
