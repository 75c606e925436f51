import { Inject, Injectable } from '@nestjs/common';
import { endsWithin } from '@antrean/platform';
import { Loop, type Ticking } from './loop.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

/** What goes on beside the jobs for as long as the application does. */
@Injectable()
export class BackgroundWork {
  private readonly loops: Loop[] = [];
  private isOver = false;

  constructor(@Inject(WORKER_OPTIONS) private readonly options: Pick<WorkerOptions, 'logger' | 'shutdownGraceMs'>) {}

  /**
   * Ticks from now on until the worker stops. The tick in hand then has as long to end as jobs in hand have.
   * @param name stands in the log.
   */
  start(name: string, work: Ticking): Loop {
    const loop = new Loop(name, work, this.options.logger);
    if (this.isOver) return loop;
    this.loops.push(loop);
    loop.start();
    return loop;
  }

  /** Resolves when the ticks in hand are done, or were given up. */
  async stop(): Promise<void> {
    this.isOver = true;
    await endsWithin(Promise.all(this.loops.map((loop) => loop.stop())), this.options.shutdownGraceMs);
  }
}
