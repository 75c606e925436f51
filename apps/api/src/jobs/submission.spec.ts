import { ProblemError } from '../http/problem-error.js';
import { parseSubmission } from './submission.js';

const job = { type: 'email.send', payload: { to: 'budi@example.com' } };

function withOptions(options: unknown): object {
  return { ...job, options };
}

function problemOf(body: object): ProblemError {
  try {
    parseSubmission(body);
  } catch (error) {
    if (error instanceof ProblemError) return error;
    throw error;
  }
  throw new Error('The body was taken.');
}

describe('a submit', () => {
  it('needs no options', () => {
    expect(parseSubmission(job)).toEqual({ ...job, options: {} });
  });

  it('hands on the payload as it is', () => {
    const payload = { constructor: 1, prototype: [null], nested: { constructor: {} } };
    expect(parseSubmission({ ...job, payload }).payload).toBe(payload);
  });

  it('speaks of seconds where the engine speaks of milliseconds', () => {
    const options = {
      dedupe_key: 'k',
      dedupe_policy: 'ttl',
      dedupe_ttl_sec: 90,
      expires_in_sec: 600,
      on_duplicate: 'existing',
      delay_sec: 1.5,
      priority: 9,
      max_attempts: 3,
      timeout_sec: 0.25,
      user_id: 'customer-42',
      tags: ['a', 'b'],
      metadata: { source: 'test', constructor: 'kept' },
    };
    expect(parseSubmission(withOptions(options)).options).toEqual({
      dedupeKey: 'k',
      dedupePolicy: 'ttl',
      dedupeTtlMs: 90_000,
      expiresInMs: 600_000,
      onDuplicate: 'existing',
      delayMs: 1_500,
      priority: 9,
      maxAttempts: 3,
      timeoutMs: 250,
      userId: 'customer-42',
      tags: ['a', 'b'],
      metadata: { source: 'test', constructor: 'kept' },
    });
  });

  it('reads run_at with its offset', () => {
    const { options } = parseSubmission(withOptions({ run_at: '2030-01-31T15:00:00+07:00' }));
    expect(options).toEqual({ runAt: new Date('2030-01-31T08:00:00Z') });
  });

  it.each([
    [
      { type: 'exponential', base_sec: 2 },
      { kind: 'exponential', baseMs: 2_000, factor: 2, capMs: 600_000 },
    ],
    [
      { type: 'exponential', base_sec: 0.5, factor: 1.5, cap_sec: 30 },
      { kind: 'exponential', baseMs: 500, factor: 1.5, capMs: 30_000 },
    ],
    [
      { type: 'fixed', base_sec: 10 },
      { kind: 'fixed', delayMs: 10_000 },
    ],
    [
      { type: 'quadratic', base_sec: 3, cap_sec: 60 },
      { kind: 'quadratic', baseMs: 3_000, capMs: 60_000 },
    ],
  ])('turns the backoff %j into the policy %j', (backoff, policy) => {
    expect(parseSubmission(withOptions({ backoff })).options).toEqual({ backoff: policy });
  });

  it.each([
    ['priority', 0],
    ['priority', 9],
    ['max_attempts', 1],
    ['max_attempts', 1_000],
    ['delay_sec', 0],
    ['delay_sec', 31_536_000],
    ['timeout_sec', 86_400],
    ['dedupe_ttl_sec', 2_592_000],
    ['dedupe_key', 'x'.repeat(255)],
    ['tags', []],
    ['metadata', {}],
  ])('takes %s at its bound: %j', (option, value) => {
    expect(() => parseSubmission(withOptions({ [option]: value }))).not.toThrow();
  });

  it.each([
    ['priority', [-1, 10, 1.5, '5', null, true, [], {}], 'priority must be a whole number from 0 to 9'],
    ['max_attempts', [0, -1, 1_001, 2.5, '3', null], 'max_attempts must be a whole number from 1 to 1000'],
    ['delay_sec', [-1, 31_536_001, 1e300, '60', null], 'delay_sec must be a number from 0 to 31536000'],
    ['timeout_sec', [0, -1, 86_401, '30', null], 'timeout_sec must be a number from 0.001 to 86400'],
    ['dedupe_ttl_sec', [0, 0.5, 2_592_001, '60', null], 'dedupe_ttl_sec must be a number from 1 to 2592000'],
    ['dedupe_key', ['', 'x'.repeat(256), 7, null, {}], 'dedupe_key must be a string of 1 to 255 characters'],
    [
      'dedupe_policy',
      ['forever', '', 1, null],
      'dedupe_policy must be one of ttl, until_started, until_finished, until_result_expires',
    ],
    ['on_duplicate', ['ignore', null], 'on_duplicate must be one of conflict, existing'],
    ['user_id', ['', 'x'.repeat(129), 42, null], 'user_id must be a string of 1 to 128 characters'],
    [
      'run_at',
      ['tomorrow', '2030-01-31', '2030-01-31T08:00:00', '2030-02-30T08:00:00Z', 1_900_000_000, null],
      'run_at must be a time as RFC 3339 writes it, with its offset, such as 2030-01-31T08:00:00Z or 2030-01-31T15:00:00+07:00',
    ],
    [
      'tags',
      ['a', [''], ['x'.repeat(65)], [1], ['a', 'a'], Array.from({ length: 11 }, (_, index) => `t${index}`), {}, null],
      'tags must be a list of at most 10 different strings of 1 to 64 characters',
    ],
    [
      'metadata',
      [
        'a',
        [],
        { a: 1 },
        { '': 'x' },
        { ['k'.repeat(65)]: 'x' },
        { a: 'x'.repeat(513) },
        Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`k${index}`, 'x'])),
        null,
      ],
      'metadata must be an object of at most 20 entries, keys of 1 to 64 characters, values that are strings of at most 512',
    ],
    ['backoff', ['fast', 5, [], null], 'backoff must be an object'],
  ] satisfies [string, unknown[], string][])('refuses wrong values of %s, saying what is right', (option, values, detail) => {
    for (const value of values) {
      const { code, errors } = problemOf(withOptions({ [option]: value }));
      expect({ value, code, errors }).toEqual({
        value,
        code: 'invalid_request',
        errors: [{ pointer: `#/options/${option}`, detail }],
      });
    }
  });

  it.each([
    [{}, '#/options/backoff/type', 'type must be one of exponential, fixed, quadratic'],
    [{ type: 'linear', base_sec: 1 }, '#/options/backoff/type', 'type must be one of exponential, fixed, quadratic'],
    [{ type: 'fixed' }, '#/options/backoff/base_sec', 'base_sec must be a number from 0 to 2592000'],
    [{ type: 'fixed', base_sec: '5' }, '#/options/backoff/base_sec', 'base_sec must be a number from 0 to 2592000'],
    [{ type: 'exponential', base_sec: 1, factor: 0.5 }, '#/options/backoff/factor', 'factor must be a number from 1 to 100'],
    [
      { type: 'fixed', base_sec: 1, factor: 2 },
      '#/options/backoff/factor',
      'factor is for exponential backoffs only, not for fixed',
    ],
    [{ type: 'fixed', base_sec: 1, cap_sec: 2 }, '#/options/backoff/cap_sec', 'cap_sec is not for fixed backoffs'],
    [
      { type: 'fixed', base_sec: 1, jitter: true },
      '#/options/backoff/jitter',
      '"jitter" is not known here, known are base_sec, cap_sec, factor, type',
    ],
  ])('refuses the backoff %j', (backoff, pointer, detail) => {
    expect(problemOf(withOptions({ backoff })).errors).toContainEqual({ pointer, detail });
  });

  it.each([
    [{}, '#/type', 'type must be the name of a job type, a string of at most 64 characters'],
    [{ payload: {} }, '#/type', 'type must be the name of a job type, a string of at most 64 characters'],
    [{ type: 'x'.repeat(65), payload: {} }, '#/type', 'type must be the name of a job type, a string of at most 64 characters'],
    [{ type: 7, payload: {} }, '#/type', 'type must be the name of a job type, a string of at most 64 characters'],
    [{ type: 'email.send' }, '#/payload', 'payload must be an object'],
    [{ type: 'email.send', payload: [] }, '#/payload', 'payload must be an object'],
    [{ type: 'email.send', payload: null }, '#/payload', 'payload must be an object'],
    [{ type: 'email.send', payload: '{}' }, '#/payload', 'payload must be an object'],
    [{ ...job, options: [] }, '#/options', 'options must be an object'],
    [{ ...job, options: null }, '#/options', 'options must be an object'],
    [{ ...job, priority: 5 }, '#/priority', '"priority" is not known here, known are options, payload, type'],
    [{ ...job, constructor: 5 }, '#/constructor', '"constructor" is not known here, known are options, payload, type'],
    [{ ...job, 'a/b': 5 }, '#/a~1b', '"a/b" is not known here, known are options, payload, type'],
  ])('refuses the body %j', (body, pointer, detail) => {
    const { code, errors } = problemOf(body);
    expect(code).toBe('invalid_request');
    expect(errors).toContainEqual({ pointer, detail });
  });

  it('refuses unknown options, naming the known ones', () => {
    const { errors } = problemOf(withOptions({ retries: 3, toString: 1 }));
    expect(errors).toEqual([
      {
        pointer: '#/options/retries',
        detail: expect.stringContaining('"retries" is not known here, known are backoff, ') as string,
      },
      { pointer: '#/options/toString', detail: expect.stringContaining('"toString" is not known here') as string },
    ]);
  });

  it('names every fault at once', () => {
    const { errors, message } = problemOf({ kind: 'x', payload: 3, options: { priority: 99, backoff: { type: 'fixed' } } });
    expect(errors.map(({ pointer }) => pointer)).toEqual([
      '#/kind',
      '#/type',
      '#/payload',
      '#/options/priority',
      '#/options/backoff/base_sec',
    ]);
    expect(message).toContain('#/options/priority: priority must be');
  });

  it('refuses run_at together with delay_sec', () => {
    const { errors } = problemOf(withOptions({ delay_sec: 5, run_at: '2030-01-31T08:00:00Z' }));
    expect(errors).toEqual([
      { pointer: '#/options/run_at', detail: 'run_at and delay_sec exclude each other, send one of them' },
    ]);
  });

  it('refuses dedupe_ttl_sec together with a dedupe_policy that has no time', () => {
    expect(problemOf(withOptions({ dedupe_ttl_sec: 60, dedupe_policy: 'until_finished' }))).toMatchObject({
      code: 'invalid_request',
      errors: [
        {
          pointer: '#/options/dedupe_ttl_sec',
          detail: 'dedupe_ttl_sec is for the dedupe_policy ttl only, not for until_finished',
        },
      ],
    });
    expect(parseSubmission(withOptions({ dedupe_ttl_sec: 60 })).options).toEqual({ dedupeTtlMs: 60_000 });
  });

  it('takes a webhook apart from the other options', () => {
    const webhook = { url: 'https://example.com/hook', events: ['job.failed'] };
    expect(parseSubmission(withOptions({ webhook, priority: 3 }))).toMatchObject({ options: { priority: 3 }, webhook });
    expect(parseSubmission(withOptions({ priority: 3 })).webhook).toBeUndefined();
    expect(parseSubmission(withOptions({ webhook })).options).toEqual({});
  });

  const URL_FAULT = 'url must be an https: or http: URL of at most 2048 printable ASCII characters, without user';
  const EVENTS_FAULT =
    'events must be a list of at least one of job.succeeded, job.failed, job.cancelled, job.expired, none of them twice';

  it.each([
    ['text', '', 'webhook must be an object'],
    [null, '', 'webhook must be an object'],
    [{}, '/url', URL_FAULT],
    [{ url: 'example.com' }, '/url', URL_FAULT],
    [{ url: 'https://bücher.example' }, '/url', URL_FAULT],
    [{ url: `https://example.com/${'a'.repeat(2_048)}` }, '/url', URL_FAULT],
    [{ url: 'https://example.com', events: [] }, '/events', EVENTS_FAULT],
    [{ url: 'https://example.com', events: ['job.started'] }, '/events', EVENTS_FAULT],
    [{ url: 'https://example.com', events: ['job.failed', 'job.failed'] }, '/events', EVENTS_FAULT],
    [{ url: 'https://example.com', events: null }, '/events', EVENTS_FAULT],
    [{ url: 'https://example.com', secret: 'ops' }, '/secret', '"secret" is not known here, known are events, url'],
  ])('says what is wrong with the webhook %j', (webhook, pointer, detail) => {
    expect(problemOf(withOptions({ webhook }))).toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: `#/options/webhook${pointer}`, detail }],
    });
  });

  it.each(['group', 'result_ttl_sec'])('says that %s is not available yet', (option) => {
    const { code, errors } = problemOf(withOptions({ [option]: 5 }));
    expect(code).toBe('not_available');
    expect(errors).toEqual([{ pointer: `#/options/${option}`, detail: `${option} is not available in this version` }]);
  });
});
