import type { JobDefinition } from '../definition/job-definition.js';
import { Loop, type Ticking } from '../runtime/loop.js';
import { Auditor } from './auditor.js';
import type { MaintenanceContext } from './maintenance-context.js';
import { Promoter, sleepBefore } from './promoter.js';
import { Reaper } from './reaper.js';
import { Retention } from './retention.js';

/** What keeps the queues of this worker's types in order while jobs run. */
export class Maintenance {
  private readonly promoters: ReadonlyMap<string, Loop>;
  private readonly loops: readonly Loop[];

  constructor(definitions: readonly JobDefinition[], context: MaintenanceContext) {
    const loop = (name: string, work: Ticking) => new Loop(name, work, context.options.logger);
    this.promoters = new Map(definitions.map(({ type }) => [type, loop('promoter', new Promoter(type, context))]));
    this.loops = [
      ...this.promoters.values(),
      ...definitions.map((definition) => {
        const onTimedOut = () => {
          this.promoteWithin(definition.type, 0);
        };
        return loop('reaper', new Reaper(definition, context, onTimedOut));
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

  async stop(): Promise<void> {
    await Promise.all(this.loops.map((loop) => loop.stop()));
  }
}
