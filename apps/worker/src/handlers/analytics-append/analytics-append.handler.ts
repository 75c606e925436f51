import { AnalyticsAppend } from '@antrean/catalog';
import { JobHandler, type Handles, type JobContext } from '@antrean/jobs';
import { inTrouble } from '../../outages/in-trouble.js';
import { EventFile } from './event-file.js';

type Context = JobContext<typeof AnalyticsAppend>;

/** The result of a job that succeeded; not `appended`: an earlier run did it. */
interface AppendedEvent {
  readonly appended: boolean;
}

/**
 * Appends an event. Where the file ended before the first run is kept with the job, so that a later run, after a crash say, finds a line
 * that an earlier one has written. Only on another machine, or in a file that was moved away in between, it does not.
 */
@JobHandler(AnalyticsAppend)
export class AnalyticsAppendHandler implements Handles<typeof AnalyticsAppend> {
  constructor(private readonly file: EventFile) {}

  handle(context: Context): Promise<AppendedEvent> {
    return this.append(context).catch(inTrouble(context));
  }

  private async append({ payload, checkpoint }: Context): Promise<AppendedEvent> {
    const { id, type, timestamp, data } = payload;
    const line = JSON.stringify({ id, type, timestamp, data });
    const from = checkpoint.value;
    if (typeof from !== 'number') await checkpoint.save(await this.file.size());
    else if (await this.file.holds(line, from)) return { appended: false };
    await this.file.append(line);
    return { appended: true };
  }
}
