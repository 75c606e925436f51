import { Controller, Get, Param, Req, Res, UseInterceptors } from '@nestjs/common';
import { InvoiceRender } from '@antrean/catalog';
import { isFinal } from '@antrean/jobs';
import { StoredFileNotFoundError } from '@antrean/platform';
import { invoiceFile, type Order } from '@antrean/shop';
import type { Request, Response } from 'express';
import { NeedsScope } from '../auth/access.decorator.js';
import { fileGone, fileNotMade } from '../files/file-faults.js';
import { StoredFileAnswers } from '../files/stored-file-answers.js';
import { KnownQueryInterceptor } from '../http/known-query.interceptor.js';
import { Links } from '../http/links.js';
import { invoiceJobOf } from './order-invoices.js';
import { OrderReader } from './order-reader.js';
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
    const job = invoiceJobOf({ jobs });
    const file = { noun: 'invoice', again: `POST ${this.links.invoice(order.id)}` };
    if (job.status === 'succeeded') throw fileGone(file, job, this.links, cause);
    if (job.status === 'lost' || isFinal(job.status)) throw fileNotMade(file, job, this.links, cause);
    const waiting = { 'Retry-After': SOON_SEC, 'Cache-Control': 'no-store' };
    response
      .status(202)
      .set(waiting)
      .json(orderView(order, jobs, this.links));
  }
}
