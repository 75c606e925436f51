import { Injectable } from '@nestjs/common';
import { InvoiceRender } from '@antrean/catalog';
import { ControlService, IllegalTransitionError, QueueService, StatusService, isFinal } from '@antrean/jobs';
import { OrderOutcomes, type Order, type OrderJob } from '@antrean/shop';
import { ProblemError } from '../http/problem-error.js';
import type { RequestContext } from '../http/request-context.js';
import { originOf } from '../jobs/job-submitter.js';

/** The job of an order's invoice. @throws {ProblemError} `not_found` for an order of before there were invoices. */
export function invoiceJobOf({ jobs }: Pick<Order, 'jobs'>): OrderJob {
  const job = jobs.find(({ type }) => type === InvoiceRender.type);
  if (job === undefined) throw new ProblemError('not_found', 'The order has no invoice.');
  return job;
}

/** Has invoices made anew. It is always the job that the order knows: however often that is asked for, there is one of it. */
@Injectable()
export class OrderInvoices {
  constructor(
    private readonly status: StatusService,
    private readonly control: ControlService,
    private readonly queue: QueueService,
    private readonly outcomes: OrderOutcomes,
  ) {}

  /**
   * Lets the job run again, or for the first time where the queue has it no more. One that waits or runs is left alone.
   * @throws {QueueUnavailableError} {@link DatabaseAwayError} it may run all the same: ask again.
   */
  async renderAnew(order: Order, context: RequestContext): Promise<void> {
    const { jobId } = invoiceJobOf(order);
    context.jobId = jobId;
    const job = await this.status.get(jobId);
    if (job === undefined) {
      const options = { ...originOf(context), jobId, userId: order.customerId, metadata: { order_id: order.id } };
      await this.queue.enqueue(InvoiceRender, { order_id: order.id }, options);
    } else if (isFinal(job.status)) await this.control.replay(jobId).catch(unlessUnderWay);
    await this.outcomes.follow(jobId);
  }
}

/** Somebody else asked for it at the same time. */
function unlessUnderWay(error: unknown): void {
  if (!(error instanceof IllegalTransitionError)) throw error;
}
