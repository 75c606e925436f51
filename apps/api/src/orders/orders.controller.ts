import { Body, Get, HttpCode, Inject, Param, Post, UseInterceptors } from '@nestjs/common';
import { InvoiceRender } from '@antrean/catalog';
import type { ApiConfig } from '@antrean/platform';
import { NeedsScope } from '../auth/access.decorator.js';
import { checkNoFields } from '../http/body-faults.js';
import { EtagInterceptor } from '../http/etag.interceptor.js';
import { IDEMPOTENT_REPLAYED } from '../http/idempotency-key.js';
import { JsonBodyInterceptor } from '../http/json-body/json-body.interceptor.js';
import { OptionalJsonBodyInterceptor } from '../http/json-body/optional-json-body.interceptor.js';
import { JsonResource } from '../http/json-resource.decorator.js';
import { Links } from '../http/links.js';
import { Submitting, type SubmitRequest } from '../jobs/submit-request.js';
import { API_CONFIG } from '../tokens.js';
import { parseOrder } from './order-form.js';
import { OrderIntake } from './order-intake.js';
import { OrderInvoices } from './order-invoices.js';
import { OrderReader } from './order-reader.js';
import { orderView, type OrderView } from './order.view.js';
import { DescribesInvoiceAnew, DescribesOrder, DescribesPlaceOrder } from './orders.openapi.js';

/** Takes orders, and tells what became of their jobs. */
@JsonResource('orders')
export class OrdersController {
  constructor(
    private readonly intake: OrderIntake,
    private readonly reader: OrderReader,
    private readonly invoices: OrderInvoices,
    private readonly links: Links,
    @Inject(API_CONFIG) private readonly config: ApiConfig,
  ) {}

  @Post()
  @HttpCode(201)
  @NeedsScope('submit')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribesPlaceOrder()
  async place(@Body() body: object, @Submitting() request: SubmitRequest): Promise<OrderView> {
    const { order, repeated } = await this.intake.take(parseOrder(body, this.config.orderCurrency), request);
    const jobs = order.jobs.map((job) => ({ ...job, from: 'order' as const }));
    request.response.location(this.links.order(order.id));
    if (repeated) request.response.set(IDEMPOTENT_REPLAYED);
    return orderView(order, jobs, this.links);
  }

  @Get(':id')
  @NeedsScope('read')
  @UseInterceptors(EtagInterceptor)
  @DescribesOrder()
  async get(@Param('id') orderId: string): Promise<OrderView> {
    const { order, jobs } = await this.reader.read(orderId);
    return orderView(order, jobs, this.links);
  }

  @Post(':id/invoice')
  @HttpCode(202)
  @NeedsScope('submit')
  @UseInterceptors(OptionalJsonBodyInterceptor)
  @DescribesInvoiceAnew()
  async invoice(@Param('id') orderId: string, @Body() body: object, @Submitting() request: SubmitRequest): Promise<OrderView> {
    checkNoFields(body);
    const { context, response } = request;
    const order = await this.reader.find(orderId);
    await this.invoices.renderAnew(order, context);
    response.location(this.links.invoice(orderId));
    return orderView(order, await this.reader.jobsOf(order, InvoiceRender.type), this.links);
  }
}
