import { createHash } from 'node:crypto';
import { Test } from '@nestjs/testing';
import { JobsModule, QueueService, defineJob, unchecked } from '@antrean/jobs';
import type { JobView } from '../../apps/api/src/jobs/job.view.js';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { REDIS_URL, newKeyPrefix, silentLogger } from '../support/shared-redis.js';
import { schemaFaults } from '../support/open-api.js';

describe('the payload of a type that this api does not know', () => {
  const secret = { password: 'hunter2' };
  const keys = { reader: 'read', manager: 'read+manage' };
  const keyPrefix = newKeyPrefix();
  let self: string;

  beforeAll(async () => {
    const Foreign = defineJob('foreign.job', { payload: unchecked<typeof secret>() });
    const options = { definitions: [Foreign], redisUrl: REDIS_URL, keyPrefix, logger: silentLogger };
    const producer = await Test.createTestingModule({ imports: [JobsModule.forProducer(options)] }).compile();
    await producer.init();
    const { jobId } = await producer.get(QueueService).enqueue(Foreign, secret);
    self = `/jobs/${jobId}`;
    await producer.close();
  });

  async function shownBy(api: TestApi, key?: string): Promise<unknown> {
    const request = api.http.get(self);
    const answer = await (key === undefined ? request : request.set('Authorization', `Bearer ${key}`));
    expect(answer.status).toBe(200);
    expect(schemaFaults('JobView', answer.body)).toEqual([]);
    return (answer.body as JobView).payload;
  }

  it('is shown to keys with the scope manage only, as nobody here knows what is sensitive in it', async () => {
    const list = Object.entries(keys).map(([name, scopes]) => {
      return `${name}:${createHash('sha256').update(name).digest('hex')}:${scopes}`;
    });
    const api = await startTestApi({ KEY_PREFIX: keyPrefix, API_KEYS: list.join(',') });
    try {
      expect(await shownBy(api, 'reader')).toBe('[redacted]');
      expect(await shownBy(api, 'manager')).toEqual(secret);
    } finally {
      await api.close();
    }
  });

  it('is shown to everybody where there are no keys', async () => {
    const api = await startTestApi({ KEY_PREFIX: keyPrefix });
    try {
      expect(await shownBy(api)).toEqual(secret);
    } finally {
      await api.close();
    }
  });
});
