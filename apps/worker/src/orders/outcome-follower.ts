import { Inject, Injectable } from '@nestjs/common';
import { StatusService, type Ticking } from '@antrean/jobs';
import { OrderOutcomes, orderJobFromQueue } from '@antrean/shop';

/** The longest that a job is not asked about, in ms. */
export const LONGEST_PAUSE_MS = Symbol('LONGEST_PAUSE_MS');

const BATCH = 100;
const POLL_MS = 1_000;

/**
 * Asks the queue what became of the jobs of orders, and writes it down with the orders. All that it knows lies in the database: another
 * worker goes on where one was killed, and several share the work.
 */
@Injectable()
export class OutcomeFollower implements Ticking {
  constructor(
    private readonly outcomes: OrderOutcomes,
    private readonly status: StatusService,
    @Inject(LONGEST_PAUSE_MS) private readonly longestPauseMs: number,
  ) {}

  /** @throws QueueUnavailableError when the queue did not tell of a job: it is asked again. */
  async tick(): Promise<number> {
    const due = await this.outcomes.take(BATCH, this.longestPauseMs);
    const handedOn = due.filter(({ inOutbox }) => !inOutbox).map(({ jobId }) => jobId);
    const answers = await Promise.allSettled(handedOn.map((jobId) => this.status.get(jobId)));
    const known = answers.flatMap((answer) =>
      answer.status === 'fulfilled' && answer.value !== undefined ? [orderJobFromQueue(answer.value)] : [],
    );
    const gone = handedOn.filter((_jobId, nth) => {
      const answer = answers[nth];
      return answer?.status === 'fulfilled' && answer.value === undefined;
    });
    await this.outcomes.record({ known, gone });
    const failed = answers.find((answer) => answer.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
    return due.length === BATCH ? 0 : POLL_MS;
  }
}
