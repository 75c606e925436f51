import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AnswersWith, Problems } from '../docs/answers.decorator.js';
import { DescribesFile } from '../files/files.openapi.js';
import { OrderView } from './order.view.js';

/** What the OpenAPI document says of the routes of orders. */

export const DescribesPlaceOrder = () =>
  applyDecorators(
    ApiTags('orders'),
    ApiOperation({
      operationId: 'placeOrder',
      summary: 'Place an order',
      description:
        'It is stored at once. Its confirmation by e-mail, its invoice and an event for those who count are jobs, written in the same ' +
        'transaction: they follow also when the queue is away at the moment.',
    }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        '1 to 255 printable ASCII characters, bare or quoted; it belongs to the API key and the path. For 24 hours a repeat gets the first ' +
        'answer, with `Idempotent-Replayed: true`. It is kept in the transaction of the order: also after a 503, or an answer that was ' +
        'lost, the same request brings no second order.',
      schema: { type: 'string', examples: ['cart-42'] },
    }),
    ApiBody({
      required: true,
      schema: { $ref: '#/components/schemas/OrderBody' },
      examples: {
        order: {
          value: {
            customer_id: '01JDVZ5R2M9N4C7V1B8X3Z6K0T',
            items: [{ sku: 'TEA-01', name: 'Jasmine tea, 250 g', quantity: 2, unit_price_minor: 890 }],
          },
        },
      },
    }),
    AnswersWith(201, OrderView, 'The order is stored, and its jobs are accepted.', { location: true, idempotent: true }),
    Problems(
      'invalid_json',
      'invalid_request',
      'unauthorized',
      'forbidden',
      'not_acceptable',
      'payload_too_large',
      'unsupported_media_type',
      'idempotency_key_reused',
      'unknown_customer',
      'database_unavailable',
    ),
  );

export const DescribesOrder = () =>
  applyDecorators(
    ApiTags('orders'),
    ApiOperation({
      operationId: 'getOrder',
      summary: 'Read an order and what became of its jobs',
      description: 'How a job ended is kept with the order, for longer than the queue keeps the job.',
    }),
    ApiParam({ name: 'id', schema: { type: 'string' }, example: '01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }),
    AnswersWith(200, OrderView, 'The order as it is now.', { etag: true }),
    Problems('invalid_request', 'unauthorized', 'forbidden', 'order_not_found', 'not_acceptable', 'database_unavailable'),
  );

export const DescribesInvoice = () =>
  DescribesFile({
    tag: 'orders',
    operationId: 'getInvoice',
    summary: 'Read the invoice of an order',
    description: 'It is kept as long as the order. ',
    id: '01JDVZ8XQ4T4Y8Q7M5K3N2P1R0',
    mediaTypes: ['application/pdf'],
    waiting: { view: OrderView, noun: 'order' },
    problems: ['not_found', 'order_not_found', 'database_unavailable'],
  });

export const DescribesInvoiceAnew = () =>
  applyDecorators(
    ApiTags('orders'),
    ApiOperation({
      operationId: 'renderInvoice',
      summary: 'Have the invoice of an order made anew',
      description:
        'For one that failed or was removed, also when the queue has forgotten its job. While that waits or runs, nothing more is done. ' +
        'The new file is the same as the old one was.',
    }),
    ApiParam({ name: 'id', schema: { type: 'string' }, example: '01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }),
    AnswersWith(202, OrderView, 'Its job waits or runs.', { location: true }),
    Problems(
      'invalid_json',
      'invalid_request',
      'unauthorized',
      'forbidden',
      'not_found',
      'order_not_found',
      'not_acceptable',
      'payload_too_large',
      'unsupported_media_type',
      'queue_unavailable',
      'database_unavailable',
    ),
  );
