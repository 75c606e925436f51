import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { InvoiceRender } from '@antrean/catalog';
import { isFinal } from '@antrean/jobs';
import { StoredFileNotFoundError } from '@antrean/platform';
import { invoiceFile, type Order } from '@antrean/shop';
import type { Request, Response } from 'express';
import { NeedsScope } from '../auth/access.decorator.js';
import { StoredFileAnswers } from '../files/stored-file-answers.js';
import { KnownQueryInterceptor } from '../http/known-query.interceptor.js';
import { Links } from '../http/links.js';
import { ProblemError } from '../http/problem-error.js';
import { OrderReader, type KnownJob } from './order-reader.js';
import { orderView } from './order.view.js';
import { DescribesInvoice } from './orders.openapi.js';

const SOON_SEC = '2';

/** Hands out invoices. */
@Controller('orders')
@UseInterceptors(KnownQueryInterceptor)
export class OrderInvoiceController {
  constructor(
    private readonly reader: OrderReader,
    private readonly files: StoredFileAnswers,
    private readonly links: Links,
  ) {}

  /** Also takes HEAD. */
  @Get(':id/invoice')
  @NeedsScope('read')
  @DescribesInvoice()
  async get(@Param('id') orderId: string, @Req() request: Request, @Res() response: Response): Promise<void> {
    const order = await this.reader.find(orderId);
    try {
      await this.files.send({ name: invoiceFile(orderId), fileName: `invoice-${orderId}.pdf` }, request, response);
    } catch (error) {
      if (!(error instanceof StoredFileNotFoundError)) throw error;
      await this.tellWhy(order, response, error);
    }
  }

  private async tellWhy(order: Order, response: Response, cause: StoredFileNotFoundError): Promise<void> {
    const jobs = await this.reader.jobsOf(order, InvoiceRender.type);
    const job = jobs.find(({ type }) => type === InvoiceRender.type);
    // Of before there were invoices.
    if (job === undefined) throw new ProblemError('not_found', 'The order has no invoice.', { cause });
    if (job.status === 'succeeded') throw this.missing('file_gone', 'The invoice was removed from the storage.', job, cause);
    if (job.status === 'lost' || isFinal(job.status)) {
      throw this.missing('file_not_made', `There is no invoice: its job is ${job.status}.`, job, cause);
    }
    const waiting = { 'Retry-After': SOON_SEC, 'Cache-Control': 'no-store' };
    response
      .status(202)
      .set(waiting)
      .json(orderView(order, jobs, this.links));
  }

  private missing(code: 'file_gone' | 'file_not_made', what: string, { jobId, status }: KnownJob, cause: Error): ProblemError {
    const detail = `${what} Let the job make it anew (POST /jobs/${jobId}/replay), as long as the queue has it.`;
    const members = { job_id: jobId, job_status: status === 'lost' ? null : status, links: { self: this.links.job(jobId) } };
    return new ProblemError(code, detail, { members, cause });
  }
}
