import { JOB_STATUSES, type JobStatus } from '@antrean/jobs';
import type { Order, OrderItem } from '@antrean/shop';
import { ApiProperty } from '@nestjs/swagger';
import type { Links } from '../http/links.js';
import { ANY_JSON, NullableText, NullableTime, OneOf, Text, Time, Whole } from '../http/view-fields.js';
import { JobLinks } from '../jobs/submitted-job.view.js';
import type { KnownJob } from './order-reader.js';

const ORDER_ID = '01JDVZ8XQ4T4Y8Q7M5K3N2P1R0';
const LOST = 'lost';

export class OrderItemView {
  @Text({ example: 'TEA-01' }) readonly sku!: string;
  @Text({ example: 'Jasmine tea, 250 g' }) readonly name!: string;
  @Whole({ example: 2 }) readonly quantity!: number;
  @Whole({ description: 'Of one piece, in the smallest unit of the currency.', example: 890 }) readonly unit_price_minor!: number;
  @Whole({ description: 'Of all of them.', example: 1_780 }) readonly total_minor!: number;
}

/** A job that an order brought with it, as far as it is known. */
export class OrderJobView {
  @Text({ example: 'email.send' }) readonly type!: string;
  @Text({ example: 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }) readonly job_id!: string;
  @OneOf([...JOB_STATUSES, LOST], {
    description: `The job's. ${LOST}: the queue does not have it any more, and how it ended was not learnt before.`,
    example: 'succeeded',
  })
  readonly status!: JobStatus | typeof LOST;
  @OneOf(['queue', 'order'], {
    description:
      'queue: as it is now. order: as the order remembers it, when the queue does not answer, has not been handed the job yet (its link ' +
      'answers 404 until then), or has nothing more to tell.',
    example: 'order',
  })
  readonly status_from!: 'queue' | 'order';
  @ApiProperty({ ...ANY_JSON, description: 'What its handler returned.' }) readonly result!: unknown;
  @NullableText({ description: 'The last error; null after success.' }) readonly error!: string | null;
  @NullableText({ description: 'Code of the last error.' }) readonly error_code!: string | null;
  @NullableTime() readonly finished_at!: string | null;
  @ApiProperty({ type: JobLinks }) readonly links!: JobLinks;
}

export class OrderLinks {
  @Text({ description: 'Absolute path of the order.', example: `/orders/${ORDER_ID}` })
  readonly self!: string;

  @Text({ description: 'Absolute path of its invoice.', example: `/orders/${ORDER_ID}/invoice` })
  readonly invoice!: string;
}

export class OrderView {
  @Text({ example: ORDER_ID }) readonly order_id!: string;
  @Text({ example: '01JDVZ5R2M9N4C7V1B8X3Z6K0T' }) readonly customer_id!: string;
  @Text({ description: 'ISO 4217.', example: 'EUR' }) readonly currency!: string;
  @Whole({ description: 'In the smallest unit of the currency.', example: 1_780 }) readonly total_minor!: number;
  @Time() readonly created_at!: string;
  @ApiProperty({ type: [OrderItemView] }) readonly items!: readonly OrderItemView[];
  @ApiProperty({ type: [OrderJobView] }) readonly jobs!: readonly OrderJobView[];
  @ApiProperty({ type: OrderLinks }) readonly links!: OrderLinks;
}

export function orderView(order: Order, jobs: readonly KnownJob[], links: Links): OrderView {
  const { id, customerId, currency, totalMinor, createdAt, items } = order;
  return {
    order_id: id,
    customer_id: customerId,
    currency,
    total_minor: totalMinor,
    created_at: createdAt.toISOString(),
    items: items.map(itemView),
    jobs: jobs.map((job) => jobView(job, links)),
    links: { self: links.order(id), invoice: links.invoice(id) },
  };
}

function itemView({ sku, name, quantity, unitPriceMinor }: OrderItem): OrderItemView {
  return { sku, name, quantity, unit_price_minor: unitPriceMinor, total_minor: quantity * unitPriceMinor };
}

function jobView({ type, jobId, status, from, result, error, errorCode, finishedAt }: KnownJob, links: Links): OrderJobView {
  return {
    type,
    job_id: jobId,
    status,
    status_from: from,
    result,
    error,
    error_code: errorCode,
    finished_at: finishedAt?.toISOString() ?? null,
    links: { self: links.job(jobId) },
  };
}
