import { randomUUID } from 'node:crypto';
import { closeRedis, connectRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import type { Delivery, OnUnknown } from '../../apps/worker/src/handlers/email-send/ledger/delivery-ledger.js';
import { RedisDeliveryLedger } from '../../apps/worker/src/handlers/email-send/ledger/redis-delivery-ledger.js';
import { newKeyPrefix, REDIS_URL, silentLogger } from '../support/shared-redis.js';

const prefix = newKeyPrefix();
let redis: RedisConnection;
let ledger: RedisDeliveryLedger;
let id: string;

beforeAll(async () => {
  redis = connectRedis(REDIS_URL, { name: 'test', logger: silentLogger });
  await waitUntilReady(redis, 5_000);
  ledger = new RedisDeliveryLedger(redis, prefix);
});

afterAll(() => {
  closeRedis(redis);
});

beforeEach(() => {
  id = randomUUID();
});

afterEach(() => redis.del(entry()));

const entry = () => `${prefix}:{email.send}:delivery:${id}`;
const run = (jobId = 'job-a'): Delivery => ({ id, jobId, messageId: `<${id}@example.com>`, run: randomUUID() });
const begin = (delivery: Delivery, onUnknown: OnUnknown) => ledger.begin(delivery, onUnknown, new AbortController().signal);
const storedAt = async () => new Date(Number(await redis.hget(entry(), 'at')));
/** As if the mark had been set that much earlier. */
const age = async (ms: number) => redis.hincrby(entry(), 'at', -ms);

describe('the delivery ledger', () => {
  it('lets the first run begin, and marks the mail with the time of Redis', async () => {
    const [before] = await redis.time();
    expect(await begin(run(), 'resend')).toEqual({ kind: 'begun', afterUnknown: false });
    expect(await redis.hget(entry(), 'state')).toBe('sending');
    expect(Math.floor((await storedAt()).getTime() / 1_000) - Number(before)).toBeLessThanOrEqual(2);
  });

  it('keeps what was sent from being sent again, by any job', async () => {
    const first = run();
    await begin(first, 'resend');
    await ledger.sent(first);
    const sentAt = await storedAt();
    for (const onUnknown of ['resend', 'fail'] as const) {
      expect(await begin(run('job-a'), onUnknown)).toEqual({ kind: 'already_sent', messageId: first.messageId, sentAt });
      expect(await begin(run('job-b'), onUnknown)).toEqual({ kind: 'already_sent', messageId: first.messageId, sentAt });
    }
  });

  it('forgets a mail that was certainly not taken', async () => {
    const first = run();
    await begin(first, 'fail');
    await ledger.failed(first);
    expect(await redis.exists(entry())).toBe(0);
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
    await redis.del(entry());
    await begin(run(), 'resend');
    await ledger.failed(late);
    expect(await redis.hget(entry(), 'state')).toBe('sending');
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

  it('keeps entries for thirty days from their last change', async () => {
    const first = run();
    await begin(first, 'resend');
    expect(await redis.pttl(entry())).toBeGreaterThan(30 * 86_400_000 - 10_000);
    await redis.pexpire(entry(), 60_000);
    await ledger.sent(first);
    expect(await redis.pttl(entry())).toBeGreaterThan(30 * 86_400_000 - 10_000);
  });

  it('lets one of many runs of different jobs begin', async () => {
    const outcomes = await Promise.all(Array.from({ length: 50 }, (_, job) => begin(run(`job-${job}`), 'resend')));
    expect(outcomes.filter(({ kind }) => kind === 'begun')).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === 'in_progress')).toHaveLength(49);
  });
});
