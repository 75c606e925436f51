import fc from 'fast-check';
import { startTestApi, type TestApi } from '../support/api-app.js';
import { schemaFaults } from '../support/open-api.js';

const payload = { to: 'budi@example.com', template: 'welcome' };
const job = { type: 'email.send', payload };

const KNOWN_FIELDS = [
  ...['type', 'payload', 'options', 'to', 'template', 'subject', 'variables', 'message_key'],
  ...['dedupe_key', 'dedupe_policy', 'dedupe_ttl_sec', 'on_duplicate', 'delay_sec', 'run_at', 'priority', 'max_attempts'],
  ...['timeout_sec', 'backoff', 'user_id', 'tags', 'metadata', 'base_sec', 'factor', 'cap_sec'],
];

describe('bad input to a submit', () => {
  let api: TestApi;

  beforeAll(async () => {
    api = await startTestApi();
  });

  afterAll(async () => {
    await api.close();
  });

  /** Sends a body and checks what holds for every refusal: a complete problem, and nothing written. */
  async function refused(path: string, body: string | Buffer | object, contentType = 'application/json') {
    const raw = typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const before = await api.countKeys();
    const answer = await api.http
      .post(path)
      .set('Content-Type', contentType)
      .serialize((content) => content as string)
      .send(raw as string);
    expect(await api.countKeys()).toBe(before);
    expect(answer.headers['content-type']).toBe('application/problem+json');
    expect(schemaFaults('Problem', answer.body)).toEqual([]);
    const problem = answer.body as {
      status: number;
      code: string;
      detail: string;
      errors: { pointer?: string; detail: string }[];
    };
    expect(problem.status).toBe(answer.status);
    return { status: answer.status, code: problem.code, detail: problem.detail, errors: problem.errors };
  }

  it('is told which types there are when it names another', async () => {
    const { status, code, errors } = await refused('/jobs', { ...job, type: 'email.sned' });
    expect({ status, code }).toEqual({ status: 400, code: 'unknown_job_type' });
    const detail = /^There is no job type "email\.sned"\. Known types: (.+, )?email\.send(, .+)?\.$/;
    expect(errors).toEqual([{ pointer: '#/type', detail: expect.stringMatching(detail) as string }]);
  });

  it.each([
    [{ ...job, prioritty: 1 }, '#/prioritty'],
    [{ ...job, options: { retries: 3 } }, '#/options/retries'],
    [{ ...job, options: { backoff: { type: 'fixed', base_sec: 1, jitter: true } } }, '#/options/backoff/jitter'],
    [{ ...job, options: { max_attempts: 0 } }, '#/options/max_attempts'],
    [{ ...job, options: { priority: '5' } }, '#/options/priority'],
    [{ ...job, options: { priority: NaN } }, '#/options/priority'],
    [{ ...job, options: { delay_sec: 365 * 86_400 + 1 } }, '#/options/delay_sec'],
    [{ ...job, options: { delay_sec: -1 } }, '#/options/delay_sec'],
    [{ ...job, options: { run_at: 'tomorrow' } }, '#/options/run_at'],
    [{ ...job, options: { timeout_sec: 0 } }, '#/options/timeout_sec'],
    [{ ...job, options: { tags: 'a' } }, '#/options/tags'],
    [{ ...job, payload: 'text' }, '#/payload'],
    [{ type: 'email.send' }, '#/payload'],
    [{ ...job, type: null }, '#/type'],
  ])('is refused for %j', async (body, pointer) => {
    const { status, code, errors } = await refused('/jobs', body);
    expect({ status, code, pointers: errors.map((error) => error.pointer) }).toEqual({
      status: 400,
      code: 'invalid_request',
      pointers: [pointer],
    });
  });

  it('is refused for a time more than a year ahead', async () => {
    const answer = await refused('/jobs', { ...job, options: { run_at: '9999-12-31T23:59:59Z' } });
    expect(answer).toMatchObject({ status: 400, code: 'invalid_options', errors: [{ pointer: '#/options/run_at' }] });
  });

  it('is refused when it says how long a dedupe key is held and has none, with what to do', async () => {
    const answer = await refused('/jobs', { ...job, options: { dedupe_ttl_sec: 60 } });
    const detail = 'is for a dedupe key, and this job has none: give it one, or leave this out';
    expect(answer).toMatchObject({ code: 'invalid_options', errors: [{ pointer: '#/options/dedupe_ttl_sec', detail }] });
  });

  it('is refused for a dedupe key whose characters are too many', async () => {
    const answer = await refused('/jobs', { ...job, options: { dedupe_key: '😀'.repeat(256) } });
    expect(answer).toMatchObject({ status: 400, errors: [{ pointer: '#/options/dedupe_key' }] });
  });

  it.each([
    [{ to: 'nobody', template: 'welcome' }, '/to'],
    [{ to: 'a@example.com' }, '/template'],
    [{ ...payload, cc: 'b@example.com' }, '/cc'],
    [{ ...payload, to: 'a@example.com\r\nBcc: eve@example.com' }, '/to'],
    [{ ...payload, subject: 'Hi\nBcc: eve@example.com' }, '/subject'],
    [{ ...payload, message_key: 'k\r\nx' }, '/message_key'],
    [{ ...payload, variables: { nested: {} } }, '/variables'],
    [{ ...payload, subject: 5 }, '/subject'],
  ])('is refused for the mail %j, by either door', async (mail, pointer) => {
    const byType = await refused('/jobs', { type: 'email.send', payload: mail });
    expect(byType).toMatchObject({ status: 400, code: 'invalid_payload' });
    expect(new Set(byType.errors.map((error) => error.pointer))).toEqual(new Set([`#/payload${pointer}`]));
    const byPath = await refused('/jobs/email', mail);
    expect(byPath).toMatchObject({ status: 400, code: 'invalid_payload' });
    expect(new Set(byPath.errors.map((error) => error.pointer))).toEqual(new Set([`#${pointer}`]));
  });

  const inPayload = (text: string) => `{"type":"email.send","payload":{"to":"budi@example.com","template":"welcome",${text}}}`;

  it.each([
    ['broken JSON', '{"type":"email.send"', '#/type', 'ends too early'],
    ['a duplicate key', inPayload('"to":"eve@example.com"'), '#/payload/to', 'stands there twice'],
    ['2^60', inPayload('"variables":{"n":1152921504606846976}'), '#/payload/variables/n', 'send it as a string'],
    [
      '2^60 as JavaScript writes it',
      inPayload(`"variables":{"n":${JSON.stringify(2 ** 60)}}`),
      '#/payload/variables/n',
      'send it as',
    ],
    ['1e400', inPayload('"variables":{"n":1e400}'), '#/payload/variables/n', 'send it as a string'],
    ['a lone surrogate', inPayload('"subject":"\\ud800"'), '#/payload/subject', 'half of a surrogate pair'],
    ['NUL', inPayload('"subject":"a\\u0000b"'), '#/payload/subject', 'NUL'],
    ['NUL in a key', inPayload('"a\\u0000":1'), '#/payload/a%00', 'NUL'],
    ['__proto__', inPayload('"__proto__":{"admin":true}'), '#/payload/__proto__', '__proto__'],
    ['constructor', inPayload('"variables":{"constructor":"x"}'), '#/payload/variables/constructor', 'constructor'],
    ['toString', inPayload('"toString":1'), '#/payload/toString', 'toString'],
    ['depth 20,000', inPayload(`"variables":${'['.repeat(20_000)}${']'.repeat(20_000)}`), undefined, 'nested deeper than'],
    ['NaN', inPayload('"variables":{"n":NaN}'), '#/payload/variables/n', 'JSON does not know'],
    ['an empty body', '', '#', 'empty'],
    ['white space', ' \n', '#', 'ends too early'],
    ['an array', '[]', '#', 'must be a JSON object'],
    ['null', 'null', '#', 'must be a JSON object'],
    ['a string', '"text"', '#', 'must be a JSON object'],
  ])('is refused for %s', async (_name, body, pointer, detail) => {
    for (const path of ['/jobs', '/jobs/email']) {
      const answer = await refused(path, body);
      expect(answer).toMatchObject({ status: 400, code: 'invalid_json' });
      expect(answer.detail).toContain(detail);
      if (pointer !== undefined) expect(answer.errors[0]?.pointer).toBe(pointer);
    }
  });

  it('is refused for bytes that are no UTF-8, saying where', async () => {
    const body = Buffer.concat([
      Buffer.from('{"type":"email.send","payload":{"to":"'),
      Buffer.of(0xc3, 0x28),
      Buffer.from('"}}'),
    ]);
    const answer = await refused('/jobs', body);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_json', errors: [{ pointer: '#/payload/to' }] });
  });

  it('is refused at once for a deep body, however long', async () => {
    const startedAt = performance.now();
    const answer = await refused('/jobs', '{"a":'.repeat(50_000));
    expect(answer).toMatchObject({ status: 400, code: 'invalid_json' });
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });

  it('is refused for a payload of 300 KiB, and taken up to the limit', async () => {
    const large = { ...job, payload: { ...payload, variables: variablesOf(300 * 1_024) } };
    expect(await refused('/jobs', large)).toMatchObject({ status: 413, code: 'payload_too_large' });
    const fits = { ...job, payload: { ...payload, variables: variablesOf(200 * 1_024) } };
    expect((await api.http.post('/jobs').send(fits)).status).toBe(202);
  });

  it('is refused for a body beyond all limits, with an answer and not a broken connection', async () => {
    expect(await refused('/jobs', { ...job, payload: { text: 'x'.repeat(4_000_000) } })).toMatchObject({
      status: 413,
      code: 'payload_too_large',
    });
  });

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/problem+json',
    'application/jsonx',
    'application/json; charset=utf-16',
    'application/json; charset=latin1',
  ])('is refused as %s', async (contentType) => {
    expect(await refused('/jobs', job, contentType)).toMatchObject({ status: 415, code: 'unsupported_media_type' });
  });

  it('is refused without a content type', async () => {
    const answer = await fetch(`${api.url}/jobs`, { method: 'POST', body: Buffer.from(JSON.stringify(job)) });
    expect(answer.status).toBe(415);
    expect(answer.headers.get('accept')).toBe('application/json');
  });

  it('is refused when compressed', async () => {
    const answer = await fetch(`${api.url}/jobs`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' },
      body: Buffer.from('x'),
    });
    expect(answer.status).toBe(415);
    expect(answer.headers.get('accept-encoding')).toBe('identity');
  });

  it.each(['application/json', 'application/json; charset=utf-8', 'Application/JSON;charset="UTF-8"'])(
    'is taken as %s',
    async (contentType) => {
      const answer = await api.http.post('/jobs').set('Content-Type', contentType).send(JSON.stringify(job));
      expect(answer.status).toBe(202);
    },
  );

  it.each(['group', 'result_ttl_sec'])('is told that %s is not available', async (option) => {
    const answer = await refused('/jobs', { ...job, options: { [option]: 1 } });
    expect(answer).toMatchObject({ status: 400, code: 'not_available', errors: [{ pointer: `#/options/${option}` }] });
  });

  it('is refused with a query parameter nobody knows', async () => {
    const answer = await refused('/jobs?dry_run=1', job);
    expect(answer).toMatchObject({ status: 400, code: 'invalid_request', errors: [{ parameter: 'dry_run' }] });
  });

  it('is never answered with 5xx, whatever JSON it is', async () => {
    const anything = fc.jsonValue({ stringUnit: 'binary' });
    const names = fc.constantFrom(...KNOWN_FIELDS, 'constructor', 'prototype', 'length', 'then', '');
    const object = fc.dictionary(names, anything);
    const bodies = fc.oneof(
      anything,
      object,
      fc.record({ type: fc.constant('email.send'), payload: fc.oneof(object, fc.constant(payload)), options: object }),
      fc.record({ type: fc.constant('email.send'), payload: object.map((more) => ({ ...payload, ...more })) }),
    );
    await fc.assert(
      fc.asyncProperty(bodies, fc.constantFrom('/jobs', '/jobs/email'), async (body, path) => {
        const answer = await api.http.post(path).set('Content-Type', 'application/json').send(JSON.stringify(body));
        expect([202, 400, 409]).toContain(answer.status);
      }),
      { numRuns: 300 },
    );
  }, 60_000);

  it('never reaches the prototype of anything', async () => {
    await refused('/jobs', '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}');
    await refused('/jobs', { ...job, constructor: { prototype: { polluted: 1 } } });
    expect('polluted' in {}).toBe(false);
  });
});

function variablesOf(bytes: number): Readonly<Record<string, string>> {
  const count = Math.ceil(bytes / 4_000);
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`v${index}`, 'x'.repeat(4_000)]));
}
