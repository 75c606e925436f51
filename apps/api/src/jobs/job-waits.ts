import { Injectable } from '@nestjs/common';
import { QueueUnavailableError, StatusService, type Job } from '@antrean/jobs';
import type { Response } from 'express';
import { Readiness } from '../health/readiness.js';

/** Lets a request wait for the end of its job, as long as its client is there and the process does not close. */
@Injectable()
export class JobWaits {
  constructor(
    private readonly status: StatusService,
    private readonly readiness: Readiness,
  ) {}

  /** The job as soon as it has ended, or as it is when the wait is over; undefined when there is none (any more). */
  async wait(
    jobId: string,
    response: Response,
    options: { readonly waitMs: number; readonly reveal: boolean },
  ): Promise<Job | undefined> {
    const stop = new AbortController();
    const abort = (): void => {
      stop.abort();
    };
    response.once('close', abort);
    this.readiness.draining.addEventListener('abort', abort);
    if (response.closed || this.readiness.draining.aborted) abort();
    try {
      return await this.status.wait(jobId, { timeoutMs: options.waitMs, signal: stop.signal, reveal: options.reveal });
    } finally {
      response.off('close', abort);
      this.readiness.draining.removeEventListener('abort', abort);
    }
  }

  /** As {@link wait}, after a submit: undefined also when Redis is away meanwhile. */
  async afterSubmit(...args: Parameters<JobWaits['wait']>): Promise<Job | undefined> {
    try {
      return await this.wait(...args);
    } catch (error) {
      // The job is accepted, and that is what its client has to be told.
      if (error instanceof QueueUnavailableError) return undefined;
      throw error;
    }
  }
}
