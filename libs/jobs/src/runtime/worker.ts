import { endsWithin, onServerChange } from '@antrean/platform';
import { Maintenance } from '../maintenance/maintenance.js';
import type { EnqueueBatcher } from '../services/enqueue-batcher.js';
import type { Rouser } from '../services/rouser.js';
import type { WorkerIdentity } from '../store/exchange.js';
import type { Link } from '../store/link.js';
import { isTold } from '../store/record.js';
import type { JobJournal } from '../telemetry/job-journal.js';
import { Claimer } from './claimer.js';
import type { Executor } from './executor.js';
import type { HandlerRegistry } from './handler-registry.js';
import type { Heart } from './heart.js';
import { Loop } from './loop.js';
import type { NoteWriter } from './note-writer.js';
import { Slots } from './slots.js';
import { SuspectPermit } from './suspect-permit.js';
import { WakeUp } from './wake-up.js';
import type { WorkerOptions } from './worker-options.js';

/** The token under which the parts are injected. */
export const WORKER_PARTS = Symbol('WORKER_PARTS');

/** After the abort, handlers have this long to end by themselves; the last settles this long to reach Redis, and their events to be handed on. */
const LAST_MS = 1_500;

export interface WorkerParts {
  readonly identity: WorkerIdentity;
  readonly registry: HandlerRegistry;
  readonly link: Link;
  readonly options: WorkerOptions;
  readonly executor: Executor;
  readonly journal: JobJournal;
  readonly heart: Heart;
  readonly notes: NoteWriter;
  readonly rouser: Rouser;
  readonly batcher: EnqueueBatcher;
}

/** A running worker: a claimer for each type, a heart, an ear for wake-ups, and maintenance. */
export class Worker {
  private readonly claimers: ReadonlyMap<string, Claimer>;
  private readonly suspects = new SuspectPermit();
  private readonly polls: readonly Loop[];
  private readonly noteLoop: Loop;
  private readonly maintenance: Maintenance;
  private readonly wakeUp: WakeUp;
  private state: 'new' | 'running' | 'draining' | 'stopped' = 'new';
  private begun = false;
  /** A server that may be another, with another memory, makes the claimers reconcile until this is called. */
  private forgetServers: () => void = () => undefined;
  /** When the first look for jobs was due, in ms of the monotonic clock; undefined while Redis was never there. */
  private beginAt: number | undefined;

  constructor(private readonly parts: WorkerParts) {
    const { identity, link, options, journal, heart, notes, rouser, batcher } = parts;
    const { handlers } = parts.registry;
    const context = {
      ...parts,
      worker: identity,
      slots: new Slots(options.slots),
      suspects: this.suspects,
      onNextDue: (type: string, inMs: number) => {
        this.maintenance.promoteWithin(type, inMs);
      },
      onOutgoing: (type: string) => {
        this.maintenance.relaySoon(type);
      },
    };
    const definitions = handlers.map(({ definition }) => definition);
    this.maintenance = new Maintenance(definitions, { link, worker: identity, options, journal, rouser, batcher });
    this.wakeUp = new WakeUp(options, identity);
    this.claimers = new Map(
      handlers.map((registered) => {
        const { type, concurrency } = registered.definition;
        return [type, new Claimer(registered, options.concurrency[type] ?? concurrency, context)];
      }),
    );
    this.noteLoop = new Loop('notes', notes, options.logger);
    notes.onWork = (inMs) => {
      this.noteLoop.wakeWithin(inMs);
    };
    this.polls = [...this.claimers.values()].map((claimer) => new Loop('claimer', claimer, options.logger));
    heart.onPulse = (type, pulse) => {
      this.claimers.get(type)?.feel(pulse);
    };
    heart.onTaken = (type, jobs) => {
      for (const job of jobs) journal.crashed(type, job, { blocked_worker: String(identity.number) });
      this.claimers.get(type)?.lose(jobs);
      if (jobs.some(({ record }) => isTold(record))) this.maintenance.relaySoon(type);
    };
    heart.onTimedOut = (type) => {
      this.maintenance.promoteWithin(type, 0);
      this.maintenance.lookForEvents(type);
    };
    heart.beyondRedis = () => [...this.claimers.values()].reduce((sum, { beyondRedis }) => sum + beyondRedis, 0);
  }

  get ready(): boolean {
    return this.state === 'running';
  }

  get running(): number {
    return [...this.claimers.values()].reduce((sum, { running }) => sum + running, 0);
  }

  /** Handlers that go on though their runs are settled. */
  get zombies(): number {
    return this.zombiesSince.length;
  }

  private get zombiesSince(): readonly number[] {
    return [...this.claimers.values()].flatMap(({ zombiesSince }) => zombiesSince);
  }

  /**
   * For how many ms zombies have held what jobs wait for and cannot be run without: every slot that there is, or the permit for
   * suspects; 0 while they do not.
   */
  get clogMs(): number {
    return Math.max(this.slotsClogMs, this.suspectsClogMs);
  }

  private get slotsClogMs(): number {
    const since = this.zombiesSince;
    const claimers = [...this.claimers.values()];
    const clogged =
      since.length >= this.parts.options.slots || claimers.every((claimer) => claimer.zombiesSince.length >= claimer.concurrency);
    return clogged && since.length > 0 ? performance.now() - Math.max(...since) : 0;
  }

  private get suspectsClogMs(): number {
    const [since] = [...this.claimers.values()].flatMap(({ suspectZombieSince }) => suspectZombieSince ?? []);
    return since !== undefined && this.suspects.isAwaited ? performance.now() - since : 0;
  }

  /** Claimed jobs that are not settled. */
  private get inHand(): number {
    return [...this.claimers.values()].reduce((sum, { unsettled }) => sum + unsettled, 0);
  }

  /** Milliseconds since the claimer that is worst off last tried a round, or passed one over knowingly. */
  get roundAgeMs(): number {
    // Until Redis is there for the first time, waiting for it is all there is to do.
    if (!this.begun) return this.beginAt === undefined ? 0 : performance.now() - this.beginAt;
    return Math.max(0, ...[...this.claimers.values()].map(({ roundAgeMs }) => roundAgeMs));
  }

  start(): void {
    if (this.state !== 'new') return;
    this.state = 'running';
    const { identity, link, options } = this.parts;
    options.logger.info({ worker: String(identity.number), types: [...this.claimers.keys()] }, 'worker started');
    if (link.gate.isOpen) this.beginWhenReady();
    else {
      void link.gate.opens.then((opens) => {
        if (opens && this.state === 'running') this.beginWhenReady();
      });
    }
  }

  private beginWhenReady(): void {
    const { redis } = this.parts.link;
    if (redis.status === 'ready') void this.begin();
    else {
      redis.once('ready', () => {
        if (this.state === 'running') void this.begin();
      });
    }
  }

  private async begin(): Promise<void> {
    const { link, heart, registry, identity } = this.parts;
    this.beginAt = performance.now();
    // Without a heartbeat, the first job could lose its lease by blocking the event loop.
    await heart.start({
      label: identity.label,
      types: Object.fromEntries(registry.handlers.map(({ definition }) => [definition.type, definition.version])),
    });
    if (!this.ready) return;
    this.begun = true;
    this.forgetServers = onServerChange(link.redis, (concerns) => {
      for (const [type, claimer] of this.claimers) if (concerns(link.keys(type).clock)) claimer.reconcileSoon();
    });
    this.noteLoop.start();
    this.maintenance.start();
    for (const poll of this.polls) poll.start();
    this.wakeUp.start([...this.claimers.keys()], {
      onWake: (type) => this.claimers.get(type)?.wake(),
      onCancel: (type, ulid) => this.claimers.get(type)?.cancel(ulid),
      onOutgoing: (type) => {
        this.maintenance.relaySoon(type);
      },
    });
  }

  /** Claims no more, lets jobs in hand end within the grace, tells the rest to stop, and hands back what is left. */
  async stop(): Promise<void> {
    if (this.state === 'new') this.state = 'stopped';
    if (this.state !== 'running') return;
    this.state = 'draining';
    const { link, options, heart } = this.parts;
    options.logger.info({ running: this.running }, 'worker draining');
    // Before it began it has nothing, and a Redis that was not found fit is told nothing.
    const claimers = this.begun ? [...this.claimers.values()] : [];
    const drained = Promise.all(claimers.map((claimer) => claimer.drain()));
    const within = (ms: number) => endsWithin(drained, ms);
    await Promise.all(this.polls.map((poll) => poll.stop()));
    let lastMs = LAST_MS;
    if (!(await Promise.race([within(options.shutdownGraceMs), this.isHopeless()]))) {
      for (const claimer of claimers) claimer.abortAll('shutdown');
      if (!(await within(LAST_MS))) {
        const handedBackAt = performance.now();
        for (const claimer of claimers) claimer.handBack();
        if (!(await within(LAST_MS))) for (const claimer of claimers) claimer.abandon();
        lastMs -= performance.now() - handedBackAt;
      }
    }
    this.forgetServers();
    await this.maintenance.stop(this.begun && link.redis.status === 'ready' ? lastMs : 0);
    await this.noteLoop.stop();
    this.wakeUp.stop();
    await heart.stop();
    this.state = 'stopped';
    options.logger.info({ running: this.running }, 'worker stopped');
  }

  /** Resolves false once Redis is gone, or found to be, with nothing in hand: that is not worth waiting for. */
  private async isHopeless(): Promise<false> {
    const { redis } = this.parts.link;
    while (this.inHand > 0 || redis.status === 'ready') await new Promise<void>((resolve) => redis.once('close', resolve));
    return false;
  }
}
