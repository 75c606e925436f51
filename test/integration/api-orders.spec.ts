import { createHash } from 'node:crypto';
import { Test } from '@nestjs/testing';
import { InvoiceRender } from '@antrean/catalog';
import { JobHandler, JobsModule, QueueService, type JobContext } from '@antrean/jobs';
import { Customers, Database, invoiceFile } from '@antrean/shop';
import type { OrderView } from '../../apps/api/src/orders/order.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { eventually } from '../support/eventually.js';
import { freePort } from '../support/free-port.js';
import { startJobsApp } from '../support/jobs-app.js';
import { schemaFaults } from '../support/open-api.js';
import { REDIS_URL, newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';
import { folderStorage } from '../support/stored-files.js';

const TEA = { sku: 'TEA-01', name: 'Jasmine tea, 250 g', quantity: 2, unit_price_minor: 450 };
const MUG = { sku: 'MUG-02', name: 'Mug', quantity: 1, unit_price_minor: 900 };
const keyOf = (name: string) => `${name}:${createHash('sha256').update(name).digest('hex')}:submit+read`;

interface Request {
  readonly body?: object;
  readonly key?: string;
  readonly by?: string;
  readonly api?: TestApi | undefined;
}

describe.each(DATABASES)('two apis without a Redis, with their orders on %s', (kind) => {
  const databases = testDatabases(kind);
  let apis: readonly TestApi[];
  let database: Database;
  let url: string;
  let customer: string;

  beforeAll(async () => {
    ({ url, database } = await databases.migrated());
    await database.transaction((transaction) =>
      new Customers(database).upsert(transaction, [{ email: 'ana@example.com', name: 'Ana' }]),
    );
    customer = (await database.tables.selectFrom('customers').select('id').executeTakeFirstOrThrow()).id;
    const env = {
      REDIS_URL: `redis://127.0.0.1:${await freePort()}`,
      DATABASE_URL: url,
      API_KEYS: ['one', 'other'].map(keyOf).join(','),
      ORDER_CURRENCY: 'EUR',
    };
    apis = await Promise.all([startTestApi(env), startTestApi(env)]);
  });

  afterAll(async () => {
    await Promise.all(apis.map((api) => api.close()));
  });

  const order = (changes: object = {}) => ({ customer_id: customer, items: [TEA, MUG], ...changes });

  async function place({ body = order(), key, by = 'one', api = apis[0] }: Request = {}) {
    const request = api?.http.post('/orders').set('Authorization', `Bearer ${by}`);
    const answer = await (key === undefined ? request : request?.set('Idempotency-Key', key))?.send(body);
    if (answer === undefined) throw new Error('There is no such api.');
    const { status, headers, text } = answer;
    return { status, text, replayed: headers['idempotent-replayed'] as unknown, headers, body: answer.body as OrderView };
  }
  const read = (id: string) => apis[1]?.http.get(`/orders/${id}`).set('Authorization', 'Bearer one');
  const count = async (table: 'orders' | 'outbox' | 'order_jobs' | 'order_requests') => {
    const { rows } = await database.tables
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
    return rows;
  };

  it('store an order at once, its jobs in the same transaction', async () => {
    const before = await count('outbox');
    const placed = await place();
    expect(placed.status).toBe(201);
    expect(placed.headers['location']).toBe(`/orders/${placed.body.order_id}`);
    expect(schemaFaults('OrderView', placed.body)).toEqual([]);
    expect(placed.body).toMatchObject({
      ...{ customer_id: customer, currency: 'EUR', total_minor: 1_800 },
      items: [
        { ...TEA, total_minor: 900 },
        { ...MUG, total_minor: 900 },
      ],
      jobs: ['analytics.append', 'email.send', 'invoice.render'].map((type) => ({
        type,
        status: 'queued',
        status_from: 'order',
      })),
    });
    expect((await count('outbox')) - before).toBe(3);
    const found = await read(placed.body.order_id);
    expect(found?.status).toBe(200);
    expect(found?.body).toEqual(placed.body);
  });

  it('answer a repeat as the first, and make one order of many at once', async () => {
    const first = await place({ key: 'k1' });
    expect(first).toMatchObject({ status: 201, replayed: undefined });
    const jobId = first.body.jobs[0]?.job_id ?? '';
    await database.tables.updateTable('order_jobs').set({ status: 'succeeded' }).where('job_id', '=', jobId).execute();
    const again = await place({ key: '"k1"', api: apis[1] });
    expect(again).toMatchObject({ status: 201, replayed: 'true', body: first.body });
    expect(again.headers['location']).toBe(first.headers['location']);

    const before = await count('orders');
    const answers = await Promise.all(Array.from({ length: 40 }, (_, nth) => place({ key: 'at-once', api: apis[nth % 2] })));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(answers.filter(({ replayed }) => replayed === undefined)).toHaveLength(1);
    expect((await count('orders')) - before).toBe(1);
  });

  it('tell a repeat that waits for the first for too long to come again, which then gets the answer of the first', async () => {
    const first = await place({ key: 'slow' });
    const patient = new Database(url, { patient: true });
    const waited = await patient.transaction(async (transaction) => {
      // As a request does that has not ended: whoever has the same key waits.
      await transaction
        .updateTable('order_requests')
        .set('body_hash', (eb) => eb.ref('body_hash'))
        .execute();
      return place({ key: 'slow', api: apis[1] });
    });
    await patient.close();
    expect(waited).toMatchObject({
      status: 503,
      headers: { 'retry-after': expect.stringMatching(/^\d+$/) as string },
      body: { code: 'database_unavailable', error: expect.stringContaining('same Idempotency-Key') as string },
    });
    expect(await place({ key: 'slow', api: apis[1] })).toMatchObject({ status: 201, replayed: 'true', body: first.body });
  });

  it('refuse a key that stands for another order, and keep none of a request that failed', async () => {
    const first = await place({ key: 'k2' });
    const other = await place({ key: 'k2', body: order({ items: [TEA] }) });
    expect(other).toMatchObject({ status: 422, body: { code: 'idempotency_key_reused', order_id: first.body.order_id } });
    expect(schemaFaults('KeyReusedProblem', other.body)).toEqual([]);

    expect((await place({ key: 'k3', body: order({ customer_id: 'nobody' }) })).status).toBe(422);
    expect(await place({ key: 'k3' })).toMatchObject({ status: 201, replayed: undefined });
  });

  it('tell keys apart by who sends them, and forget them after a day', async () => {
    const [mine, theirs] = [await place({ key: 'k4' }), await place({ key: 'k4', by: 'other' })];
    expect(theirs).toMatchObject({ status: 201, replayed: undefined });
    expect(theirs.body.order_id).not.toBe(mine.body.order_id);

    const requests = await count('order_requests');
    const { now } = await database.tables.selectNoFrom(database.engine.now.as('now')).executeTakeFirstOrThrow();
    const kept = await database.tables.selectFrom('order_requests').select('expires_at').execute();
    for (const { expires_at } of kept) expect(Math.abs(expires_at - now - 86_400_000)).toBeLessThan(60_000);
    await database.tables
      .updateTable('order_requests')
      .set({ expires_at: now - 1 })
      .execute();
    const anew = await place({ key: 'k4' });
    expect(anew).toMatchObject({ status: 201, replayed: undefined });
    expect(anew.body.order_id).not.toBe(mine.body.order_id);
    expect(await count('order_requests')).toBeLessThan(requests);
  });

  it('refuse an order of nobody, and write nothing', async () => {
    const [before, keys] = [await count('orders'), await count('order_requests')];
    const refused = await place({ body: order({ customer_id: 'nobody' }), key: 'k5' });
    expect(refused).toMatchObject({
      status: 422,
      body: { code: 'unknown_customer', errors: [{ pointer: '#/customer_id', detail: 'There is no customer "nobody".' }] },
    });
    expect(await place({ body: order({ items: [{ ...TEA, quantity: 0 }] }) })).toMatchObject({
      status: 400,
      body: { errors: [{ pointer: '#/items/0/quantity' }] },
    });
    expect([await count('orders'), await count('order_requests')]).toEqual([before, keys]);
  });

  it.each(['01JDVZ8XQ4T4Y8Q7M5K3N2P1R0', 'x', '%00', 'constructor'])('say of the order %s that there is none', async (id) => {
    expect(await read(id)).toMatchObject({ status: 404, body: { code: 'order_not_found' } });
  });

  it('keep orders of the most items there may be', async () => {
    const items = Array.from({ length: 500 }, (_, nth) => ({ ...TEA, sku: `SKU-${nth}` }));
    const placed = await place({ body: order({ items, currency: 'JPY' }) });
    expect(placed).toMatchObject({ status: 201, body: { currency: 'JPY', total_minor: 450_000 } });
    expect((await read(placed.body.order_id))?.body).toEqual(placed.body);
  });
});

describe('the invoice of an order', () => {
  const databases = testDatabases('SQLite');

  it('is handed out once it is there, whole or in parts; until then the order is, and afterwards why there is none', async () => {
    const { url, database } = await databases.migrated();
    await database.transaction((transaction) => new Customers(database).upsert(transaction, [{ email: 'ana@example.com' }]));
    const { id } = await database.tables.selectFrom('customers').select('id').executeTakeFirstOrThrow();
    const files = await folderStorage();
    const redis = `redis://127.0.0.1:${await freePort()}`;
    const api = await startTestApi({ REDIS_URL: redis, DATABASE_URL: url, STORAGE_URL: files.url });
    try {
      const placed = await api.http.post('/orders').send({ customer_id: id, items: [TEA] });
      const order = placed.body as OrderView;
      const path = order.links.invoice;
      expect(path).toBe(`/orders/${order.order_id}/invoice`);
      const early = await api.http.get(path);
      expect({ status: early.status, retry: early.headers['retry-after'] }).toEqual({ status: 202, retry: '2' });
      expect(schemaFaults('OrderView', early.body)).toEqual([]);

      const file = invoiceFile(order.order_id);
      await files.seed([file]);
      const whole = await api.http.get(path);
      expect(whole).toMatchObject({
        status: 200,
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': expect.stringContaining(`invoice-${order.order_id}.pdf`) as string,
        },
      });
      expect(await api.http.head(path)).toMatchObject({ status: 200, headers: { 'content-length': '1' } });
      expect((await api.http.get(path).set('Range', 'bytes=0-0')).status).toBe(206);

      await files.storage.delete(file);
      const render = database.tables.updateTable('order_jobs').where('type', '=', 'invoice.render');
      await render.set({ status: 'succeeded' }).execute();
      expect(await api.http.get(path)).toMatchObject({ status: 410, body: { code: 'file_gone', job_status: 'succeeded' } });
      await render.set({ status: 'lost' }).execute();
      const lost = await api.http.get(path);
      expect(lost).toMatchObject({ status: 409, body: { code: 'file_not_made', job_status: null } });
      expect(schemaFaults('JobProblem', lost.body)).toEqual([]);
      expect((await api.http.get('/orders/01JDVZ8XQ4T4Y8Q7M5K3N2P1R0/invoice')).status).toBe(404);
    } finally {
      await api.close();
      await files.remove();
    }
  });
});

describe('the invoice of an order that was lost', () => {
  const databases = testDatabases('SQLite');

  it('is on its way again once its job was replayed, whatever the order remembers', async () => {
    const { url, database } = await databases.migrated();
    await database.transaction((transaction) => new Customers(database).upsert(transaction, [{ email: 'ana@example.com' }]));
    const { id } = await database.tables.selectFrom('customers').select('id').executeTakeFirstOrThrow();
    const files = await folderStorage();
    const keyPrefix = newKeyPrefix();
    const options = {
      definitions: [InvoiceRender],
      redisUrl: REDIS_URL,
      keyPrefix,
      maxPayloadBytes: 1_000,
      logger: silentLogger,
    };
    const producer = await Test.createTestingModule({ imports: [JobsModule.forProducer(options)] }).compile();
    await producer.init();
    const api = await startTestApi({ KEY_PREFIX: keyPrefix, DATABASE_URL: url, STORAGE_URL: files.url });
    try {
      const { order_id, links } = (await api.http.post('/orders').send({ customer_id: id, items: [TEA] })).body as OrderView;
      const { jobId } = await producer.get(QueueService).enqueue(InvoiceRender, { order_id });
      const render = database.tables.updateTable('order_jobs').where('type', '=', 'invoice.render');
      await render.set({ job_id: jobId, status: 'succeeded' }).execute();
      const again = await api.http.get(links.invoice);
      expect(again.status).toBe(202);
      const jobs = (again.body as OrderView).jobs.filter(({ job_id }) => job_id === jobId);
      expect(jobs).toMatchObject([{ status: 'queued', status_from: 'queue' }]);
    } finally {
      await api.close();
      await producer.close();
      await files.remove();
    }
  });
});

describe('an invoice whose file and job are gone', () => {
  const databases = testDatabases('SQLite');

  it('is made anew when that is asked for, by one job however often', async () => {
    const { url, database } = await databases.migrated();
    await database.transaction((transaction) => new Customers(database).upsert(transaction, [{ email: 'ana@example.com' }]));
    const { id } = await database.tables.selectFrom('customers').select('id').executeTakeFirstOrThrow();
    const files = await folderStorage();
    const keyPrefix = newKeyPrefix();
    const api = await startTestApi({ KEY_PREFIX: keyPrefix, DATABASE_URL: url, STORAGE_URL: files.url });
    const rendered: string[] = [];
    const Render = { ...InvoiceRender, isolation: 'none' } as const;
    @JobHandler(Render)
    class Renderer {
      handle({ payload, jobId }: JobContext<typeof InvoiceRender>): Promise<object> {
        rendered.push(`${payload.order_id} ${jobId}`);
        return Promise.resolve({ file_key: invoiceFile(payload.order_id) });
      }
    }
    try {
      const { order_id, links } = (await api.http.post('/orders').send({ customer_id: id, items: [TEA] })).body as OrderView;
      const render = database.tables.updateTable('order_jobs').where('type', '=', 'invoice.render');
      await render.set({ status: 'succeeded', check_at: null }).execute();
      const gone = await api.http.get(links.invoice);
      expect(gone.status).toBe(410);
      expect((gone.body as { readonly detail: string }).detail).toContain(`POST /orders/${order_id}/invoice`);

      const asked = await Promise.all([1, 2, 3].map(() => api.http.post(links.invoice).send()));
      for (const { status, headers, body } of asked) {
        expect({ status, location: headers['location'] }).toEqual({ status: 202, location: links.invoice });
        expect(schemaFaults('OrderView', body)).toEqual([]);
      }
      const { job_id: jobId } = gone.body as { readonly job_id: string };
      expect((await api.http.get(links.invoice)).status).toBe(202);
      // It is asked about again, as it may end otherwise.
      const followed = database.tables
        .selectFrom('order_jobs')
        .select('job_id')
        .where('check_at', 'is not', null)
        .where('job_id', '=', jobId);
      expect(await followed.execute()).toEqual([{ job_id: jobId }]);
      const worker = await startJobsApp([Render], [Renderer], { keyPrefix });
      await eventually(async () => {
        expect((await api.http.get(`/jobs/${jobId}`)).body).toMatchObject({ status: 'succeeded', user_id: id });
      });
      expect(rendered).toEqual([`${order_id} ${jobId}`]);
      expect((await api.http.get(links.invoice)).status).toBe(410);
      expect((await api.http.post(links.invoice).send()).status).toBe(202);
      await eventually(() => {
        expect(rendered).toEqual([`${order_id} ${jobId}`, `${order_id} ${jobId}`]);
      });
      await worker.close();
      expect((await api.http.post('/orders/01JDVZ8XQ4T4Y8Q7M5K3N2P1R0/invoice').send()).status).toBe(404);
      expect((await api.http.post(links.invoice).send({ copies: 2 })).status).toBe(400);
    } finally {
      await api.close();
      await files.remove();
    }
  });
});

describe('an api that tells an endpoint of its orders', () => {
  const databases = testDatabases('SQLite');

  it('brings a job that calls it, and none that appends to a file', async () => {
    const { url, database } = await databases.migrated();
    await database.transaction((transaction) => new Customers(database).upsert(transaction, [{ email: 'ana@example.com' }]));
    const { id } = await database.tables.selectFrom('customers').select('id').executeTakeFirstOrThrow();
    const redis = `redis://127.0.0.1:${await freePort()}`;
    const api = await startTestApi({ REDIS_URL: redis, DATABASE_URL: url, ANALYTICS_URL: 'https://shop.example/events' });
    try {
      const placed = await api.http.post('/orders').send({ customer_id: id, items: [TEA] });
      const { jobs } = placed.body as OrderView;
      expect(jobs.map(({ type }) => type)).toEqual(['email.send', 'http.request', 'invoice.render']);
    } finally {
      await api.close();
    }
  });
});

describe('an api whose database is away', () => {
  const databases = testDatabases('PostgreSQL');

  it('says so, and that a request with a key can be sent again, which then brings one order', async () => {
    const { url, database } = await databases.migrated();
    await database.transaction((transaction) => new Customers(database).upsert(transaction, [{ email: 'ana@example.com' }]));
    const { id } = await database.tables.selectFrom('customers').select('id').executeTakeFirstOrThrow();
    const api = await startTestApi({ REDIS_URL: `redis://127.0.0.1:${await freePort()}`, DATABASE_URL: url });
    try {
      const place = () =>
        api.http
          .post('/orders')
          .set('Idempotency-Key', 'k')
          .send({ customer_id: id, items: [TEA] });
      await databases.server.kill();
      const refused = await place();
      expect(refused.status).toBe(503);
      expect(refused.headers['retry-after']).toMatch(/^\d+$/);
      expect(refused.body).toMatchObject({
        code: 'database_unavailable',
        error: expect.stringContaining('same Idempotency-Key') as string,
      });
      expect((await api.http.get('/orders/01JDVZ8XQ4T4Y8Q7M5K3N2P1R0')).status).toBe(503);
      await databases.server.restart();
      expect((await place()).status).toBe(201);
      expect(await place()).toMatchObject({ status: 201, headers: { 'idempotent-replayed': 'true' } });
    } finally {
      await api.close();
    }
  });
});
