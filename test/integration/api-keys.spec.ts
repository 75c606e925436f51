import { createHash } from 'node:crypto';
import { startTestApi, type TestApi } from '../support/api-app.js';

const job = { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } };

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

describe('an api with keys', () => {
  const keys = { submitter: 'submit', reader: 'read', both: 'submit+read', manager: 'manage' };
  let api: TestApi;

  beforeAll(async () => {
    const list = Object.entries(keys).map(([name, scopes]) => `${name}:${sha256(`key-of-${name}`)}:${scopes}`);
    api = await startTestApi({ API_KEYS: list.join(',') });
  });

  afterAll(async () => {
    await api.close();
  });

  const routes = [
    ['post', '/jobs', 'submitter', 'reader'],
    ['post', '/jobs/email', 'submitter', 'reader'],
    ['get', '/jobs/email.send_01M8KZ529QERT1Z0QMV0JH9NB6', 'reader', 'submitter'],
    ['get', '/types', 'reader', 'submitter'],
    ['get', '/health', 'reader', 'submitter'],
    ['get', '/metrics', 'reader', 'submitter'],
  ] as const;

  it.each(routes)('%s %s needs a key with the scope', async (method, path, fits, lacks) => {
    for (const authorization of [undefined, 'Bearer', 'Bearer nonsense', `Basic ${btoa('a:b')}`, 'key-of-both']) {
      const asked = api.http[method](path);
      const answer = await (authorization === undefined ? asked : asked.set('Authorization', authorization));
      expect({ authorization, status: answer.status }).toEqual({ authorization, status: 401 });
      expect(answer.headers['www-authenticate']).toBe('Bearer');
      expect(answer.body).toMatchObject({ code: 'unauthorized' });
    }
    for (const name of [lacks, 'manager']) {
      const forbidden = await api.http[method](path).set('Authorization', `Bearer key-of-${name}`);
      expect({ status: forbidden.status, body: forbidden.body as object }).toMatchObject({
        status: 403,
        body: { code: 'forbidden' },
      });
    }
    for (const name of [fits, 'both']) {
      const taken = await api.http[method](path).set('Authorization', `bearer key-of-${name}`);
      expect([200, 404, 415]).toContain(taken.status);
    }
  });

  it.each(['/health/live', '/health/ready', '/docs', '/openapi.json'])('%s is open', async (path) => {
    expect((await api.http.get(path)).status).toBe(200);
  });

  it('names the key in the log, and never shows it', async () => {
    await api.http.get('/types').set('Authorization', 'Bearer key-of-reader').set('X-Request-Id', 'by-key');
    expect(api.log).toContainEqual(expect.objectContaining({ request_id: 'by-key', api_key: 'reader' }));
    expect(JSON.stringify(api.log)).not.toContain('key-of-');
  });

  it('writes nothing for a key that may not', async () => {
    const before = await api.countKeys();
    for (const name of ['nobody', 'reader', 'manager']) {
      const answer = await api.http.post('/jobs').set('Authorization', `Bearer key-of-${name}`).send(job);
      expect([401, 403]).toContain(answer.status);
    }
    expect(await api.countKeys()).toBe(before);
  });

  it('asks for the key before it reads a body', async () => {
    const answer = await api.http.post('/jobs').set('Content-Type', 'application/json').send('{broken');
    expect(answer.status).toBe(401);
  });
});
