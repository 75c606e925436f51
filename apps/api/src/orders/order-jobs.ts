import { Inject, Injectable } from '@nestjs/common';
import { AnalyticsAppend, AnalyticsEvent, HttpRequest, InvoiceRender, SendEmail } from '@antrean/catalog';
import { Outbox, type OutboxOptions, type PromisedJob } from '@antrean/jobs';
import { DEFAULT_SECRET, type ApiConfig } from '@antrean/platform';
import { Orders, priceText, type Order, type ShopTransaction } from '@antrean/shop';
import { API_CONFIG } from '../tokens.js';

/** The jobs that each order brings: a mail that confirms it, its invoice, and an event for those who count. */
@Injectable()
export class OrderJobs {
  constructor(
    private readonly outbox: Outbox<ShopTransaction>,
    private readonly orders: Orders,
    @Inject(API_CONFIG) private readonly config: ApiConfig,
  ) {}

  /**
   * Writes them in the order's own transaction: they are accepted if it is, whether Redis answers or not.
   * @param origin id and trace of the request.
   */
  async add(transaction: ShopTransaction, order: Order, origin: OutboxOptions): Promise<void> {
    const options = { ...origin, userId: order.customerId, metadata: { order_id: order.id } };
    const jobs = [
      await this.outbox.enqueue(transaction, SendEmail, confirmationOf(order), options),
      await this.outbox.enqueue(transaction, InvoiceRender, { order_id: order.id }, options),
      await this.tell(transaction, order, options),
    ];
    await this.orders.addJobs(transaction, order.id, jobs);
  }

  private async tell(transaction: ShopTransaction, order: Order, options: OutboxOptions): Promise<PromisedJob> {
    const { analyticsUrl: url, webhookSecrets } = this.config;
    const event = eventOf(order);
    if (url === undefined) return this.outbox.enqueue(transaction, AnalyticsAppend, event, options);
    const signed = webhookSecrets.has(DEFAULT_SECRET) ? { signAs: DEFAULT_SECRET } : {};
    return this.outbox.enqueue(transaction, HttpRequest, { url, body: event }, { ...options, ...signed });
  }
}

function confirmationOf({ id, totalMinor, currency, customer: { name, email } }: Order) {
  const variables = { name: name === '' ? email : name, order_id: id, total: priceText(totalMinor, currency) };
  return { to: email, template: 'order-confirmation', variables, message_key: `order/${id}` };
}

function eventOf({ id, createdAt, customerId, currency, totalMinor, items }: Order): AnalyticsEvent {
  const data = { order_id: id, customer_id: customerId, currency, total_minor: totalMinor, items: items.length };
  return { id, type: 'order.created', timestamp: createdAt.toISOString(), data };
}
