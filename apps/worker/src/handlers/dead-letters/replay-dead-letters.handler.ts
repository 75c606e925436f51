import { ReplayDeadLetters } from '@antrean/catalog';
import { JobHandler, type Handles, type JobContext } from '@antrean/jobs';
import { DeadLettersWalk, type WalkCounts } from './dead-letters-walk.js';

@JobHandler(ReplayDeadLetters)
export class ReplayDeadLettersHandler implements Handles<typeof ReplayDeadLetters> {
  constructor(private readonly walk: DeadLettersWalk) {}

  handle(context: JobContext<typeof ReplayDeadLetters>): Promise<WalkCounts> {
    return this.walk.run('replay', context);
  }
}
