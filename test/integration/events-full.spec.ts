import { randomBytes } from 'node:crypto';
import { Redis } from 'ioredis';
import { startTestApi } from '../support/api-app.js';
import { REDIS_URL, newKeyPrefix } from '../support/shared-redis.js';
import { schemaFaults } from '../support/open-api.js';

const MOST_EVENTS = 100_000;
const MAIL = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };
const WITH_WEBHOOK = { ...MAIL, options: { webhook: { url: 'https://example.com/hook' } } };

/** Nobody hands these on. */
const FILL = "for _ = 1, ARGV[1] / 1000 do redis.call('RPUSH', KEYS[1], unpack(KEYS, 2)) end";

it('a submit with a webhook is refused with the reason while too many ends of its type wait to be told, and any other is taken', async () => {
  const keyPrefix = newKeyPrefix();
  const redis = new Redis(REDIS_URL);
  const outgoing = `${keyPrefix}:{email.send}:outgoing`;
  const secrets = `default=whsec_${randomBytes(32).toString('base64')}`;
  const api = await startTestApi({ KEY_PREFIX: keyPrefix, WEBHOOK_SECRETS: secrets });
  await redis.eval(FILL, 1_001, outgoing, ...Array.from({ length: 1_000 }, () => 'event'), MOST_EVENTS);
  const answer = await api.http.post('/jobs').send(WITH_WEBHOOK);
  expect(answer.status).toBe(503);
  expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  expect(answer.body).toMatchObject({ code: 'events_full', outcome: 'not_written' });
  expect(schemaFaults('UnavailableProblem', answer.body)).toEqual([]);
  expect((await api.http.post('/jobs').send(MAIL)).status).toBe(202);
  await redis.lpop(outgoing);
  expect((await api.http.post('/jobs').send(WITH_WEBHOOK)).status).toBe(202);
  await redis.unlink(outgoing);
  redis.disconnect();
  await api.close();
});
