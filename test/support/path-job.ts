import { setTimeout as pause } from 'node:timers/promises';
import { JobHandler, defineJob, fixed, unchecked, type Handles, type JobContext } from '@antrean/jobs';

/** A job that does what its payload says. */
export const PathJob = defineJob('path.run', {
  payload: unchecked<{ readonly act: 'return' | 'fail_once' | 'stay' }>(),
  retry: fixed('50ms'),
});

@JobHandler(PathJob)
export class PathHandler implements Handles<typeof PathJob> {
  async handle({ payload, attempt, signal, log }: JobContext<typeof PathJob>): Promise<string> {
    log.info('running', { attempt });
    if (payload.act === 'fail_once' && attempt === 1) throw new Error('once');
    if (payload.act === 'stay') await pause(60_000, undefined, { signal });
    return 'done';
  }
}
