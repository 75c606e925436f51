import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import type { OrderView } from '../../apps/api/src/orders/order.view.js';
import { builtApps } from '../support/built-apps.js';
import { eventually } from '../support/eventually.js';
import { OrderShop, place, readOrder } from '../support/order-shop.js';
import { orderStage } from '../support/order-stage.js';
import { newKeyPrefix } from '../support/shared-redis.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';

const ORDERS = 20;
const SECRET = `whsec_${Buffer.from('a secret of thirty-two bytes, ok').toString('base64')}`;

const statusesOf = ({ jobs }: OrderView) => jobs.map(({ status, status_from }) => `${status} (${status_from})`);
const ids = (orders: readonly OrderView[]) => orders.map(({ order_id }) => order_id).sort();

describe.each(DATABASES)('orders that are placed while Redis is away, with their data on %s', (kind) => {
  const stage = orderStage(kind, { LOG_LEVEL: 'info' }, { LEASE_SEC: '3' });

  it('are accepted by an api that was started without it, and all that follows is done once when it is back', async () => {
    const { apis, workers, redis, database, shop, env } = stage;
    await redis.kill();
    const [started, worker] = await Promise.all([apis.start(env), workers.start({ ...env, ...shop.env })]);
    const api = await started.url();
    const orders = await Promise.all(Array.from({ length: ORDERS }, (_, nth) => place(api, shop.order(nth))));
    const first = orders[0]?.order_id ?? '';
    expect(statusesOf(await readOrder(api, first))).toEqual(Array.from({ length: 3 }, () => 'queued (order)'));
    expect(await shop.effects()).toEqual({ mails: [], invoices: [], events: [] });

    await redis.restart();
    // The jobs go on from the queue to the order: at last that alone knows of them.
    await eventually(async () => {
      for (const { order_id } of orders) {
        expect(statusesOf(await readOrder(api, order_id))).toEqual(Array.from({ length: 3 }, () => 'succeeded (order)'));
      }
    }, 90_000);
    const { mails, invoices, events } = await shop.effects();
    for (const effects of [mails, invoices, events]) expect([...effects].sort()).toEqual(ids(orders));
    const [event, mail, invoice] = (await readOrder(api, first)).jobs;
    expect(event).toMatchObject({ type: 'analytics.append', result: { appended: true } });
    expect(mail).toMatchObject({ type: 'email.send', result: { via: 'smtp' } });
    expect(invoice).toMatchObject({ type: 'invoice.render', result: { file_key: `orders/${first.toLowerCase()}/invoice.pdf` } });
    expect(await database.tables.selectFrom('outbox').select('id').execute()).toEqual([]);
    worker.kill('SIGTERM');
    expect(await worker.exit()).toEqual({ code: 0, signal: null });
  });
});

describe('an order that an endpoint is to be told of', () => {
  const stage = orderStage('SQLite', { OUTBOUND_ALLOW: '127.0.0.1', WEBHOOK_SECRETS: `default=${SECRET}` });

  it('is told of once, signed, with an event that names it', async () => {
    const told: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
    const endpoint = createServer((request, response) => {
      void text(request).then((body) => {
        told.push({ headers: request.headers, body });
        response.writeHead(204).end();
      });
    });
    await once(endpoint.listen(0, '127.0.0.1'), 'listening');
    const { port } = endpoint.address() as AddressInfo; // It listens on a TCP port.
    const { apis, workers, shop, env } = stage;
    try {
      const [started] = await Promise.all([
        apis.start({ ...env, ANALYTICS_URL: `http://127.0.0.1:${port}/events` }),
        workers.start({ ...env, ...shop.env }),
      ]);
      const api = await started.url();
      const { order_id, customer_id, created_at, total_minor } = await place(api, shop.order(1));
      await eventually(async () => {
        expect(statusesOf(await readOrder(api, order_id))).toEqual(Array.from({ length: 3 }, () => 'succeeded (order)'));
      }, 60_000);
      const [{ headers, body } = { headers: {}, body: '' }, ...more] = told;
      expect(more).toEqual([]);
      const data = { order_id, customer_id, currency: 'EUR', total_minor, items: 2 };
      const event = { id: order_id, type: 'order.created', timestamp: created_at, data };
      // Which throws when it is not signed by us.
      expect(new Webhook(SECRET).verify(body, headers as Record<string, string>)).toEqual(event);
      expect((await shop.effects()).events).toEqual([]);
    } finally {
      endpoint.close();
    }
  });
});

describe.each(DATABASES)('an api that is killed before its answer was read, with its data on %s', (kind) => {
  const databases = testDatabases(kind);
  const { start } = builtApps('api', { KEY_PREFIX: newKeyPrefix(), PORT: '0' });

  it('has taken the order, which the same request gets from the next, once', async () => {
    const { url, database } = await databases.migrated();
    const shop = await OrderShop.open(database);
    // No Redis: it is not needed.
    const env = { DATABASE_URL: url, REDIS_URL: 'redis://127.0.0.1:1' };
    try {
      const api = await start(env);
      const { hostname, port } = new URL(await api.url());
      const body = JSON.stringify(shop.order(1));
      const head = ['POST /orders HTTP/1.1', `Host: ${hostname}`, 'Content-Type: application/json', 'Idempotency-Key: cart-42'];
      const client = connect(Number(port), hostname).pause();
      client.on('error', () => undefined);
      client.write([...head, `Content-Length: ${Buffer.byteLength(body)}`, '', body].join('\r\n'));
      const written = () => database.tables.selectFrom('orders').select('id').execute();
      await eventually(async () => {
        expect(await written()).toHaveLength(1);
      });
      api.kill('SIGKILL');
      await api.exit();
      client.destroy();

      const next = await (await start(env)).url();
      const again = await Promise.all(
        Array.from({ length: 5 }, () => place(next, shop.order(1), { 'Idempotency-Key': 'cart-42' })),
      );
      const found = await written();
      expect(again.map(({ order_id }) => order_id)).toEqual(Array.from({ length: 5 }, () => found[0]?.id));
      expect(found).toHaveLength(1);
      expect(await database.tables.selectFrom('outbox').select('id').execute()).toHaveLength(3);
    } finally {
      await shop.close();
    }
  });
});
