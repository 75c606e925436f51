import { AsyncLocalStorage } from 'node:async_hooks';
import { NotStorableError } from '../definition/errors.js';

interface Place {
  readonly nesting: StepNesting;
  readonly name: string;
  readonly outer: Place | undefined;
}

/** Where in the steps of all runs the code stands that is running. One for all: each costs every promise of the process a little. */
const place = new AsyncLocalStorage<Place>();

/** Which steps of one run are within which. */
export class StepNesting {
  run<T>(name: string, work: () => T): T {
    return place.run({ nesting: this, name, outer: this.innermost }, work);
  }

  /** @throws {NotStorableError} when the work of this very step asks: it would wait for itself. */
  check(name: string): void {
    for (let step = this.innermost; step !== undefined; step = step.outer) {
      if (step.name !== name) continue;
      throw new NotStorableError([{ pointer: '/name', detail: 'is that of the step whose own work asks for it' }]);
    }
  }

  /** What another run began in its steps, such as a timer, may have led here; it counts for nothing. */
  private get innermost(): Place | undefined {
    const found = place.getStore();
    return found?.nesting === this ? found : undefined;
  }
}
