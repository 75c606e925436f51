import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import { eventually } from '../support/eventually.js';
import { place, readOrder } from '../support/order-shop.js';
import { orderStage } from '../support/order-stage.js';

const ORDERS = Number(process.env['ORDERS'] ?? 5_000);
const KILLS = 20;
const CLIENTS = 4;
const PAUSE_MS = 60;
const INVOICES = 'invoice.render';
/** Of those of a worker that dies: each mail at its server may be on its way twice. */
const MAILS_AT_ONCE = 50;

jest.setTimeout(60 * 60_000);

const print = (line: string): void => {
  process.stdout.write(`${line} (load ${loadavg()[0]?.toFixed(1) ?? ''})\n`);
};

describe('the relay of the outbox', () => {
  // Jobs are forgotten soon after they ended: how they did is with their orders by then.
  const stage = orderStage('SQLite', { RETENTION_SEC: '240' }, { LEASE_SEC: '3', WORKER_SLOTS: '60' });

  it('killed 20 times under orders, loses nothing of what follows from them, and does it twice only where that is said', async () => {
    const { apis, workers, database, shop, env } = stage;
    const api = await (await apis.start(env)).url();
    const beganAt = performance.now();
    const secondsSoFar = () => ((performance.now() - beganAt) / 1_000).toFixed(0);
    // It takes its time for each invoice: cut off three times in a row, one would be buried.
    await workers.start({ ...env, ...shop.env, WORKER_TYPES: INVOICES });
    const placed = new Set<string>();
    const inOutbox = async () => (await database.tables.selectFrom('outbox').select('id').execute()).length;
    let [next, kills] = [0, 0];
    const client = async (): Promise<void> => {
      while (next < ORDERS || kills < KILLS) {
        const nth = next++;
        // As a client does: a database that is busy for long answers 503, and the key makes one order of all tries.
        const order = await eventually(() => place(api, shop.order(nth), { 'Idempotency-Key': `order-${nth}` }), 60_000);
        placed.add(order.order_id);
        // Orders are to come in for as long as workers are killed.
        if (kills < KILLS) await pause(PAUSE_MS);
      }
    };
    const placing = Promise.all(Array.from({ length: CLIENTS }, client));

    const inTheMidst: number[] = [];
    while (kills < KILLS) {
      const worker = await workers.start({ ...env, ...shop.env, WORKER_TYPES: `!${INVOICES}` });
      await worker.logged('worker started');
      // What the one before left in the midst runs first. Cut off three times in a row, a mail would be buried, too.
      const mails = shop.mails.length + MAILS_AT_ONCE + Math.floor(Math.random() * 200);
      await eventually(async () => {
        expect(shop.mails.length).toBeGreaterThanOrEqual(mails);
        // It is about to hand on what is there, or at it.
        expect(await inOutbox()).toBeGreaterThan(0);
      }, 120_000);
      worker.kill('SIGKILL');
      inTheMidst.push(await inOutbox());
      await worker.exit();
      kills += 1;
    }
    const killedAfter = secondsSoFar();
    await placing;
    print(`${placed.size} orders in ${secondsSoFar()} s, ${KILLS} kills in the first ${killedAfter} s`);
    print(`in the outbox at each kill: ${inTheMidst.join(' ')}`);

    await workers.start({ ...env, ...shop.env, WORKER_TYPES: `!${INVOICES}` });
    const open = async () => {
      const unfinished = database.tables.selectFrom('order_jobs').select('job_id').where('finished_at', 'is', null);
      return (await unfinished.execute()).length;
    };
    await eventually(async () => {
      expect(await open()).toBe(0);
    }, 45 * 60_000);
    print(`all done after ${secondsSoFar()} s`);

    const statuses = await database.tables
      .selectFrom('order_jobs')
      .select(({ fn }) => ['type', 'status', 'error_code', fn.countAll<number>().as('count')])
      .groupBy(['type', 'status', 'error_code'])
      .orderBy('type')
      .execute();
    print(statuses.map(({ type, status, error_code, count }) => `${type} ${status} ${error_code ?? ''}: ${count}`).join(', '));
    expect(placed.size).toBeGreaterThanOrEqual(ORDERS);
    const { mails, invoices, events } = await shop.effects();
    const twice = (effects: readonly string[]) => effects.length - new Set(effects).size;
    print(`effects: ${mails.length} mails, ${invoices.length} invoices, ${events.length} events`);
    print(`more than once: ${twice(mails)} mails, ${twice(events)} events`);
    for (const effects of [mails, invoices, events]) {
      expect(new Set(effects).size).toBe(placed.size);
      expect(effects.filter((id) => !placed.has(id))).toEqual([]);
    }
    expect(twice(mails)).toBeLessThanOrEqual(KILLS * MAILS_AT_ONCE);
    // Each says so itself.
    const rows = await database.tables
      .selectFrom('order_jobs')
      .select(['order_id', 'result'])
      .where('type', '=', 'email.send')
      .execute();
    const resent = rows.filter(({ result }) => result?.includes('"resent_after_unknown":true')).map(({ order_id }) => order_id);
    const moreThanOnce = mails.filter((id, nth) => mails.indexOf(id) < nth);
    expect(moreThanOnce.filter((id) => !resent.includes(id))).toEqual([]);
    expect(twice(events)).toBe(0);
    expect(statuses.map(({ status, count }) => ({ status, count }))).toEqual(
      Array.from({ length: 3 }, () => ({ status: 'succeeded', count: placed.size })),
    );
    expect(await inOutbox()).toBe(0);
    expect((await readOrder(api, [...placed][0] ?? '')).jobs.map(({ status_from }) => status_from)).toEqual([
      'order',
      'order',
      'order',
    ]);
  });
});
