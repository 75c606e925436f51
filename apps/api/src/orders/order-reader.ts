import { Injectable } from '@nestjs/common';
import { QueueUnavailableError, StatusService, isUlid, type Job } from '@antrean/jobs';
import { endsWithin } from '@antrean/platform';
import { Orders, orderJobFromQueue, type Order, type OrderJob } from '@antrean/shop';
import { ProblemError } from '../http/problem-error.js';

/** What is known of a job, and who knows it. */
export interface KnownJob extends OrderJob {
  readonly from: 'queue' | 'order';
}

export interface KnownOrder {
  readonly order: Order;
  readonly jobs: readonly KnownJob[];
}

/** The order can be told without the queue: nobody is to wait for one that is away. */
const LOOK_MS = 500;

/** Reads orders, and of their jobs what the queue says of them now, or else what was written down with the order. */
@Injectable()
export class OrderReader {
  constructor(
    private readonly orders: Orders,
    private readonly status: StatusService,
  ) {}

  /** @throws {ProblemError} `order_not_found` */
  async read(orderId: string): Promise<KnownOrder> {
    const order = await this.find(orderId);
    return { order, jobs: await this.jobsOf(order) };
  }

  /** The order by itself: the queue is not asked. @throws {ProblemError} `order_not_found` */
  async find(orderId: string): Promise<Order> {
    const order = isUlid(orderId) ? await this.orders.get(orderId) : undefined;
    if (order === undefined) throw new ProblemError('order_not_found', 'There is no such order.');
    return order;
  }

  /** @param alsoAsk a type whose job the queue is asked about also when it has succeeded: it may have been let run again. */
  jobsOf({ jobs }: Order, alsoAsk?: string): Promise<readonly KnownJob[]> {
    // What has succeeded has no more to tell.
    return Promise.all(jobs.map((job) => this.known(job, job.status === 'succeeded' && job.type !== alsoAsk)));
  }

  private async known(job: OrderJob, isOver: boolean): Promise<KnownJob> {
    const now = isOver ? undefined : await this.look(job.jobId);
    if (now === undefined) return { ...job, from: 'order' };
    return { ...orderJobFromQueue(now), from: 'queue' };
  }

  /** Undefined when the queue does not have the job, yet or any more, or does not answer soon. */
  private async look(jobId: string): Promise<Job | undefined> {
    const found = this.status.get(jobId).catch((error: unknown) => {
      if (error instanceof QueueUnavailableError) return undefined;
      throw error;
    });
    return (await endsWithin(found, LOOK_MS)) ? found : undefined;
  }
}
