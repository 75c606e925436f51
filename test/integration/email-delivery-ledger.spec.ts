import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { type Database, DeliveryLedger, newRunId, type Delivery, type OnUnknown, type UnsentRuns } from '@antrean/shop';
import { Marks } from '../../libs/shop/src/deliveries/marks.js';
import { DATABASES, testDatabases } from '../support/shop-database.js';

const DAY_MS = 86_400_000;

describe.each(DATABASES)('the delivery ledger on %s', (kind) => {
  const databases = testDatabases(kind);
  let database: Database;
  let ledger: DeliveryLedger;
  let id: string;

  beforeAll(async () => {
    ({ database } = await databases.migrated());
    ledger = new DeliveryLedger(new Marks(database));
  });

  beforeEach(() => {
    id = randomUUID();
  });

  let runs = 0;
  /** Each later than those before. */
  const run = (jobId = 'job-a', unsent?: UnsentRuns): Delivery => {
    runs += 1;
    return { id, jobId, messageId: `<${id}@example.com>`, run: newRunId(runs), unsent };
  };
  const begin = (delivery: Delivery, onUnknown: OnUnknown) => ledger.begin(delivery, onUnknown, new AbortController().signal);
  const entry = () => database.tables.selectFrom('deliveries').selectAll().where('id', '=', id).executeTakeFirst();
  const state = async () => (await entry())?.state;
  const storedAt = async () => new Date((await entry())?.at ?? NaN);
  /** As if it had last been changed that much earlier. */
  const age = (ms: number) =>
    database.tables
      .updateTable('deliveries')
      .set(({ eb }) => ({ at: eb('at', '-', ms) }))
      .where('id', '=', id)
      .execute();
  const forget = () => database.tables.deleteFrom('deliveries').where('id', '=', id).execute();

  it('lets the first run begin, and marks the mail with the time of the database', async () => {
    const now = sql<{ now: number }>`select ${database.engine.now} as now`;
    const times = [(await now.execute(database.tables)).rows[0]?.now ?? NaN];
    expect(await begin(run(), 'resend')).toEqual({ kind: 'begun', afterUnknown: false });
    expect(await state()).toBe('sending');
    times.push((await storedAt()).getTime(), (await now.execute(database.tables)).rows[0]?.now ?? NaN);
    expect(times).toEqual(times.toSorted((one, other) => one - other));
  });

  it('keeps what was sent from being sent again, by any job', async () => {
    const first = run();
    await begin(first, 'resend');
    await ledger.sent(first);
    const sentAt = await storedAt();
    for (const onUnknown of ['resend', 'fail'] as const) {
      const outcome = { kind: 'already_sent', messageId: first.messageId, sentAt, afterUnknown: false };
      expect(await begin(run('job-a'), onUnknown)).toEqual(outcome);
      expect(await begin(run('job-b'), onUnknown)).toEqual(outcome);
    }
  });

  it('forgets a mail that was certainly not taken', async () => {
    const first = run();
    await begin(first, 'fail');
    await ledger.failed(first);
    expect(await state()).not.toBe('sending');
    expect(await begin(run(), 'fail')).toEqual({ kind: 'begun', afterUnknown: false });
  });

  it('takes a mark of the same job as left over: resends or says so', async () => {
    const first = run();
    await begin(first, 'resend');
    const since = await storedAt();
    expect(await begin(run(), 'fail')).toEqual({ kind: 'unknown', jobId: 'job-a', messageId: first.messageId, since });
    expect(await begin(run(), 'resend')).toEqual({ kind: 'begun', afterUnknown: true });
  });

  it('knows the mark of a run that asks again, whether or not an earlier one may have sent the mail', async () => {
    const first = run();
    await begin(first, 'fail');
    expect(await begin(first, 'fail')).toEqual({ kind: 'begun', afterUnknown: false });
    const second = run();
    await begin(second, 'resend');
    expect(await begin(second, 'fail')).toEqual({ kind: 'begun', afterUnknown: true });
  });

  it('takes a fresh mark of another job as a run that is alive', async () => {
    await begin(run('job-a'), 'resend');
    const since = await storedAt();
    expect(await begin(run('job-b'), 'resend')).toEqual({ kind: 'in_progress', jobId: 'job-a', since });
    expect(await begin(run('job-b'), 'fail')).toEqual({ kind: 'in_progress', jobId: 'job-a', since });
  });

  it('takes a mark of another job as left over after two minutes', async () => {
    await begin(run('job-a'), 'resend');
    await age(119_000);
    expect(await begin(run('job-b'), 'resend')).toMatchObject({ kind: 'in_progress' });
    await age(1_001);
    expect(await begin(run('job-b'), 'fail')).toMatchObject({ kind: 'unknown', jobId: 'job-a' });
    expect(await begin(run('job-b'), 'resend')).toEqual({ kind: 'begun', afterUnknown: true });
  });

  it('keeps saying that the fate is unknown when the run that took over was refused', async () => {
    await begin(run(), 'resend');
    const second = run();
    await begin(second, 'resend');
    await ledger.failed(second);
    expect(await begin(run(), 'resend')).toEqual({ kind: 'begun', afterUnknown: true });
  });

  it('does not let a run remove the mark of a later one', async () => {
    const late = run();
    await begin(late, 'resend');
    await forget();
    await begin(run(), 'resend');
    await ledger.failed(late);
    expect(await state()).toBe('sending');
  });

  it('does not let a late refusal undo that the mail was sent', async () => {
    const refused = run();
    await begin(refused, 'resend');
    await ledger.sent(run());
    await ledger.failed(refused);
    expect(await begin(run(), 'resend')).toMatchObject({ kind: 'already_sent' });
  });

  it('records what was sent also when the mark is gone', async () => {
    await ledger.sent(run());
    expect(await begin(run(), 'resend')).toMatchObject({ kind: 'already_sent' });
  });

  it('keeps the time of the first record', async () => {
    const first = run();
    await ledger.sent(first);
    await age(5_000);
    const sentAt = await storedAt();
    await ledger.sent(first);
    expect(await storedAt()).toEqual(sentAt);
  });

  it('leaves no mark of a run that was over when its call was carried out', async () => {
    const late = run();
    await ledger.failed(late);
    await begin(late, 'resend');
    expect(await state()).not.toBe('sending');
    expect(await begin(run(), 'fail')).toEqual({ kind: 'begun', afterUnknown: false });
  });

  it('leaves no mark of it either when an earlier run was refused before', async () => {
    const refused = run();
    await begin(refused, 'fail');
    await ledger.failed(refused);
    const late = run();
    await ledger.failed(late);
    await begin(late, 'fail');
    expect(await begin(run(), 'fail')).toEqual({ kind: 'begun', afterUnknown: false });
  });

  it('lets no call of a run that is over take the mark of a later one', async () => {
    const late = run();
    await ledger.failed(late);
    const next = run();
    await begin(next, 'resend');
    await begin(late, 'resend');
    expect((await entry())?.run).toBe(next.run);
    await ledger.failed(next);
    await begin(late, 'resend');
    expect(await begin(run(), 'fail')).toEqual({ kind: 'begun', afterUnknown: false });
  });

  it('believes the job that a run whose mark is left sent nothing, but not of the runs before and after', async () => {
    await begin(run(), 'fail');
    const known = { first: runs, last: runs };
    expect(await begin(run('job-a', { first: runs - 1, last: runs - 1 }), 'fail')).toMatchObject({ kind: 'unknown' });
    expect(await begin(run('job-a', { first: runs + 1, last: runs + 9 }), 'fail')).toMatchObject({ kind: 'unknown' });
    await age(120_000);
    expect(await begin(run('job-b', known), 'fail')).toMatchObject({ kind: 'unknown' });
    expect(await begin(run('job-a', known), 'fail')).toEqual({ kind: 'begun', afterUnknown: false });
  });

  it('keeps saying that the fate of an earlier run is unknown when the one after it sent nothing', async () => {
    await begin(run(), 'resend');
    await begin(run(), 'resend');
    expect(await begin(run('job-a', { first: runs, last: runs }), 'resend')).toEqual({ kind: 'begun', afterUnknown: true });
  });

  it('says at once that a record could not be made when the application ends, whatever the database does with the call', async () => {
    const marks = new Marks(database);
    jest.spyOn(marks, 'sent').mockReturnValue(new Promise(() => undefined));
    const ending = new DeliveryLedger(marks);
    const recorded = ending.sent(run());
    ending.onApplicationShutdown();
    await expect(recorded).rejects.toMatchObject({ code: 'ledger_away' });
  });

  it('remembers a mail for thirty days from its last change', async () => {
    const first = run();
    await begin(first, 'resend');
    await age(30 * DAY_MS - 60_000);
    await ledger.sent(first);
    await age(30 * DAY_MS - 60_000);
    expect(await begin(run('job-b'), 'resend')).toMatchObject({ kind: 'already_sent' });
    await age(60_001);
    expect(await begin(run('job-b'), 'fail')).toEqual({ kind: 'begun', afterUnknown: false });
    await age(30 * DAY_MS + 1);
    await ledger.sent(first);
    await age(30 * DAY_MS + 1);
    await ledger.sent(first);
    expect(await begin(run('job-b'), 'resend')).toMatchObject({ kind: 'already_sent' });
  });

  it('sweeps what is too old as new mails come, a few with each', async () => {
    const old = Array.from({ length: 15 }, () => ({ ...run(), id: `old-${randomUUID()}` }));
    for (const delivery of old) await ledger.sent(delivery);
    const left = async () =>
      (await database.tables.selectFrom('deliveries').select('id').where('id', 'like', 'old-%').execute()).length;
    await database.tables
      .updateTable('deliveries')
      .set({ at: Date.now() - 30 * DAY_MS - 1 })
      .where('id', 'like', 'old-%')
      .execute();
    await begin(run(), 'resend');
    expect(await left()).toBe(5);
    id = randomUUID();
    await begin(run(), 'resend');
    expect(await left()).toBe(0);
  });

  it('lets one of many runs of different jobs begin', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, job) => begin(run(`job-${job}`), 'resend')));
    expect(outcomes.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'in_progress')).toHaveLength(49);
  });
});
