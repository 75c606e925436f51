import { DeleteDeadLetters } from '@antrean/catalog';
import { JobHandler, type Handles, type JobContext } from '@antrean/jobs';
import { DeadLettersWalk, type WalkCounts } from './dead-letters-walk.js';

@JobHandler(DeleteDeadLetters)
export class DeleteDeadLettersHandler implements Handles<typeof DeleteDeadLetters> {
  constructor(private readonly walk: DeadLettersWalk) {}

  handle(context: JobContext<typeof DeleteDeadLetters>): Promise<WalkCounts> {
    return this.walk.run('delete', context);
  }
}
