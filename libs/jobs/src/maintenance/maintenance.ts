import type { Logger } from '@antrean/platform';
import type { JobDefinition } from '../definition/job-definition.js';
import { Loop, type Ticking } from '../runtime/loop.js';
import { Auditor } from './auditor.js';
import type { MaintenanceContext } from './maintenance-context.js';
import { Promoter, sleepBefore } from './promoter.js';
import { Reaper } from './reaper.js';
import { Relay } from './relay.js';
import { Retention } from './retention.js';

/** What keeps the queues of this worker's types in order while jobs run. */
export class Maintenance {
  private readonly promoters: ReadonlyMap<string, Loop>;
  private readonly relays: ReadonlyMap<string, Loop>;
  private readonly loops: readonly Loop[];
  private readonly logger: Logger;
  private readonly saidUntold = new Set<string>();

  constructor(definitions: readonly JobDefinition[], context: MaintenanceContext) {
    const { options } = context;
    this.logger = options.logger;
    const loop = (name: string, work: Ticking) => new Loop(name, work, options.logger);
    const { webhooks } = options;
    const relayOf = (type: string) =>
      webhooks === undefined ? [] : [[type, loop('relay', new Relay(type, webhooks, context))] as const];
    this.relays = new Map(definitions.flatMap(({ type }) => relayOf(type)));
    const onOutgoing = (type: string) => {
      this.relaySoon(type);
    };
    this.promoters = new Map(definitions.map(({ type }) => [type, loop('promoter', new Promoter(type, context, onOutgoing))]));
    this.loops = [
      ...this.promoters.values(),
      ...this.relays.values(),
      ...definitions.map((definition) => {
        const onTimedOut = () => {
          this.promoteWithin(definition.type, 0);
        };
        const onMayBeOutgoing = () => {
          this.lookForEvents(definition.type);
        };
        return loop('reaper', new Reaper(definition, context, onTimedOut, onMayBeOutgoing));
      }),
      ...definitions.map(({ type }) => loop('retention', new Retention(type, context))),
      loop('auditor', new Auditor(new Set(definitions.map(({ type }) => type)), context)),
    ];
  }

  start(): void {
    for (const loop of this.loops) loop.start();
  }

  /** A waiting job of the type becomes due in `inMs`. */
  promoteWithin(type: string, inMs: number): void {
    this.promoters.get(type)?.wakeWithin(sleepBefore(inMs));
  }

  /** There are events of the type to be handed on. */
  relaySoon(type: string): void {
    this.lookForEvents(type);
    if (!this.relays.has(type)) this.leaveUntold(type);
  }

  /** There may be events of the type to be handed on. */
  lookForEvents(type: string): void {
    this.relays.get(type)?.wakeWithin(0);
  }

  private leaveUntold(type: string): void {
    if (this.saidUntold.has(type)) return;
    this.saidUntold.add(type);
    this.logger.warn({ job_type: type }, 'ends of jobs with a webhook are left to other workers, this one was given no webhooks');
  }

  /** @param relayMs so long may it take to hand on the events of the last runs: there may be no other worker to do so soon. */
  async stop(relayMs: number): Promise<void> {
    const relays = [...this.relays.values()];
    await Promise.all(this.loops.map((loop) => (relays.includes(loop) ? loop.finish(relayMs) : loop.stop())));
  }
}
