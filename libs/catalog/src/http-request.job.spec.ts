import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { targetConstructorToSchema } from 'class-validator-jsonschema';
import Ajv from 'ajv/dist/2020.js';
import { HttpRequest, HttpRequestPayload } from './http-request.job.js';
import { isInStatusList } from './status-list.decorator.js';

const url = 'https://shop.example/hooks/paid?token=s3cr3t';
const text = { 'content-type': 'text/plain' };

function faults(payload: Record<string, unknown>): string[] {
  const errors = validateSync(plainToInstance(HttpRequestPayload, payload), { whitelist: true, forbidNonWhitelisted: true });
  return errors.flatMap(({ constraints }) => Object.values(constraints ?? {}));
}

const TAKEN: readonly Record<string, unknown>[] = [
  { url },
  { url: 'http://127.0.0.1:8080/' },
  ...['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'].map((method) => ({ url, method })),
  { url, headers: {} },
  { url, headers: { Authorization: 'Bearer abc', 'x-a': '', 'X-Blank': 'a b\tc', Cookie: 'a=1; b=2', 'User-Agent': 'shop/1.0' } },
  ...[{}, { a: { b: [1, null] } }, [], 0, false].map((body) => ({ url, body })),
  { url, body: {}, headers: { 'Content-Type': 'application/json; charset=utf-8' } },
  { url, body: {}, headers: { 'content-type': 'application/merge-patch+json' } },
  { url, body: 'a=1', headers: { 'CONTENT-TYPE': 'application/x-www-form-urlencoded' } },
  { url, body: '', headers: text },
  { url, method: 'DELETE', body: {} },
  ...[1, 0.5 + 1, 240].map((timeout_sec) => ({ url, timeout_sec })),
  ...[['200-299'], ['404'], [404], ['200-299', 404, '500-599'], ['201-201']].map((success) => ({ url, success })),
];

/** Each with what it is refused for; no value of a header, and no URL, is repeated. */
const REFUSED: readonly (readonly [fault: string, payload: Record<string, unknown>])[] = [
  ...[undefined, null, 5, '', 'shop.example', 'ftp://shop.example', 'https://u:p@shop.example', 'https://é.example/'].map(
    (bad) =>
      ['url must be an https: or http: URL of at most 2048 printable ASCII characters, without user', { url: bad }] as const,
  ),
  ...['get', 'CONNECT', 'TRACE', 'OPTIONS', 'POST\r\nx: y', '', null, 5].map(
    (method) => ['method must be one of GET, HEAD, POST, PUT, PATCH, DELETE', { url, method }] as const,
  ),
  ...[null, [], 'a: b', 5].map(
    (headers) =>
      ['headers must be an object of names and values, such as {"Authorization": "Bearer …"}', { url, headers }] as const,
  ),
  ['headers must not hold "x-A" twice', { url, headers: { 'X-a': '1', 'x-A': '2' } }],
  ['headers must not hold "x" with a value that is no string', { url, headers: { x: 5 } }],
  ...['a\r\nx-evil: 1', 'a\nb', 'a\0', ' a', 'a ', '\ta', 'é', '\u2028'].map(
    (value) =>
      [
        'headers must not hold "x" with a value that is not printable ASCII, or begins or ends with a blank',
        { url, headers: { x: value } },
      ] as const,
  ),
  ...['', 'a b', 'a:', 'x\r\ny', 'é', 'n'.repeat(65)].map(
    (name) =>
      [
        `headers must not hold ${JSON.stringify(name.slice(0, 64))}, which is no name of a header: letters, digits and "-", at most 64`,
        { url, headers: { [name]: 'v' } },
      ] as const,
  ),
  ...['Connection', 'keep-alive', 'Proxy-Authorization', 'TE', 'Trailer', 'Transfer-Encoding', 'upgrade', 'Expect'].map(
    (name) =>
      [
        `headers must not hold "${name}": it is about the connection, which Antrean makes`,
        { url, headers: { [name]: 'v' } },
      ] as const,
  ),
  ['headers must not hold "Host": it follows from the URL', { url, headers: { Host: 'v' } }],
  ['headers must not hold "Content-Length": it follows from the body', { url, headers: { 'Content-Length': '5' } }],
  ['headers must not hold "Content-Encoding": the body is sent as it is', { url, headers: { 'Content-Encoding': 'gzip' } }],
  [
    'headers must not hold "Accept-Encoding": answers are asked for uncompressed',
    { url, headers: { 'Accept-Encoding': 'gzip' } },
  ],
  ...['webhook-id', 'Webhook-Signature', 'webhook-anything', 'Idempotency-Key', 'traceparent', 'TraceState'].map(
    (name) => [`headers must not hold "${name}": Antrean sets it`, { url, headers: { [name]: 'v' } }] as const,
  ),
  ['body must be left out with the method GET', { url, method: 'GET', body: {} }],
  ['body must be left out with the method HEAD', { url, method: 'HEAD', body: 'x', headers: text }],
  ['body must not be null: leave it out to send none', { url, body: null }],
  ...[undefined, {}, { accept: 'text/plain' }].map(
    (headers) =>
      [
        'body is a text, which is sent as it is: the header Content-Type must say what it is',
        { url, body: '{}', ...(headers && { headers }) },
      ] as const,
  ),
  ...['text/plain', 'application/jsonp', 'application/x-www-form-urlencoded', 'json'].map(
    (type) =>
      [
        'body is sent as JSON, and the header Content-Type says otherwise: leave that out, or send the body as a text',
        { url, body: { a: 1 }, headers: { 'Content-Type': type } },
      ] as const,
  ),
  ...[0, 0.9, 241, '30', null, NaN].map(
    (timeout_sec) => ['timeout_sec must be a number of seconds from 1 to 240', { url, timeout_sec }] as const,
  ),
  ...[[], '200', null, ['2xx'], ['199'], [600], ['299-200'], ['200-299 '], [200.5], [['200']], Array<number>(21).fill(200)].map(
    (success) =>
      [
        'success must be a list of 1 to 20 statuses from 200 to 599 or ranges of them, such as "200-299"',
        { url, success },
      ] as const,
  ),
];

describe('the payload of http.request', () => {
  it.each(TAKEN)('takes %j', (payload) => {
    expect(faults(payload)).toEqual([]);
  });

  it.each(REFUSED)('says "%s" of %j', (fault, payload) => {
    expect(faults(payload)).toEqual([fault]);
  });

  it('takes 50 headers of 4,096 characters, and neither more nor longer ones', () => {
    const headers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, 'v'.repeat(4_096)]));
    expect(faults({ url, headers: headers(50) })).toEqual([]);
    expect(faults({ url, headers: headers(51) })).toEqual(['headers must have at most 50 entries, it has 51']);
    const fault = 'headers must not hold "x" with a value of more than 4096 characters';
    expect(faults({ url, headers: { x: 'v'.repeat(4_097) } })).toEqual([fault]);
  });

  it('has no other fields', () => {
    expect(faults({ url, sign_as: 'shop' })).toHaveLength(1);
  });
});

describe('the JSON schema of http.request', () => {
  const check = new Ajv.default({ validateFormats: false }).compile(targetConstructorToSchema(HttpRequestPayload));

  it('takes what the rules take', () => {
    for (const payload of TAKEN) expect([payload, check(payload)]).toEqual([payload, true]);
  });

  it.each([
    {},
    { url, method: 'TRACE' },
    { url, headers: { 'a b': 'v' } },
    { url, headers: { a: 'x\r\ny' } },
    { url, headers: { a: 5 } },
    { url, body: null },
    { url, timeout_sec: 0 },
    { url, timeout_sec: 241 },
    { url, success: [] },
    { url, success: ['2xx'] },
    { url, success: [600] },
  ])('refuses %j', (payload) => {
    expect(check(payload)).toBe(false);
  });
});

describe('a list of statuses', () => {
  it.each<[boolean, number, (string | number)[]]>([
    [true, 200, ['200-299']],
    [true, 299, ['200-299']],
    [false, 300, ['200-299']],
    [true, 404, ['200', '404']],
    [true, 404, [404]],
    [false, 403, ['200-299', 404]],
    [true, 503, [404, '500-599']],
    [false, 200, ['nonsense']],
  ])('holds (%s) %d: %j', (isIn, status, list) => {
    expect(isInStatusList(list, status)).toBe(isIn);
  });
});

describe('the policy of http.request', () => {
  it('leaves a run the time that its receiver may take', () => {
    expect(HttpRequest.timeoutMs).toBeGreaterThan(240_000);
  });
});
