import fc from 'fast-check';
import { InvalidOptionsError, type Violation } from '../definition/errors.js';
import { BOUNDS, DEDUPE_POLICIES, DUPLICATE_ANSWERS } from '../definition/job-definition.js';
import { MAX_RETRY_DELAY_MS } from '../definition/retry-policy.js';
import { checkOptions } from './check-options.js';
import type { EnqueueOptions } from '../definition/enqueue-options.js';

function faultsOf(options: EnqueueOptions): readonly Violation[] {
  try {
    checkOptions(options);
  } catch (error) {
    if (error instanceof InvalidOptionsError) return error.violations;
    throw error;
  }
  return [];
}

const pointersOf = (options: EnqueueOptions): string[] => faultsOf(options).map(({ pointer }) => pointer);

/** Values of the wrong type come from callers that no compiler checks. */
const unchecked = (options: Readonly<Record<string, unknown>>): EnqueueOptions => options;

const NUMBERS = [
  ['priority', BOUNDS.priority],
  ['maxAttempts', BOUNDS.attempts],
  ['timeoutMs', BOUNDS.timeoutMs],
  ['delayMs', BOUNDS.delayMs],
  ['expiresInMs', BOUNDS.expiresInMs],
  ['dedupeTtlMs', BOUNDS.dedupeTtlMs],
] as const;

const TEXTS = [
  ['dedupeKey', 255],
  ['onceKey', 255],
  ['onceContent', 255],
  ['userId', 128],
  ['requestId', 128],
  ['signAs', 64],
] as const;

describe('options', () => {
  it('may all be left out', () => {
    expect(faultsOf({})).toEqual([]);
  });

  it('may all be set', () => {
    const options: EnqueueOptions = {
      jobId: 'any',
      dedupeKey: 'k',
      onceKey: 'k',
      onceContent: 'c',
      expiresInMs: 1,
      dedupePolicy: 'ttl',
      dedupeTtlMs: 1_000,
      onDuplicate: 'existing',
      delayMs: 0,
      priority: 9,
      maxAttempts: 1,
      timeoutMs: 1,
      backoff: { kind: 'fixed', delayMs: 0 },
      userId: 'u',
      tags: ['t'],
      metadata: { key: '' },
      traceparent: 'any',
      tracestate: 'any',
      requestId: 'r',
      signAs: 's',
    };
    expect(faultsOf(options)).toEqual([]);
  });

  it.each(NUMBERS)('take %s up to its bounds and refuse it past them', (name, { min, max }) => {
    for (const value of [min, max]) expect(faultsOf({ [name]: value })).toEqual([]);
    for (const value of [min - 1, max + 1, min + 0.5, NaN, Infinity, -Infinity]) {
      expect(faultsOf({ [name]: value })).toEqual([
        { pointer: `/${name}`, detail: `must be a whole number from ${min} to ${max}` },
      ]);
    }
    expect(pointersOf(unchecked({ [name]: String(max) }))).toEqual([`/${name}`]);
    expect(pointersOf(unchecked({ [name]: null }))).toEqual([`/${name}`]);
  });

  it('say when a job runs in one way only, and with a time that exists', () => {
    expect(faultsOf({ runAt: new Date(0) })).toEqual([]);
    expect(faultsOf({ runAt: new Date(NaN) })).toEqual([{ pointer: '/runAt', detail: 'is not a valid time' }]);
    expect(faultsOf({ runAt: new Date(), delayMs: 0 })).toEqual([
      { pointer: '/runAt', detail: 'cannot be given together with a delay' },
    ]);
  });

  it('have a time for a dedupe key only when the policy is ttl, be it their own or that of the definition', () => {
    expect(faultsOf({ dedupeTtlMs: 1_000, dedupePolicy: 'until_started' })).toEqual([
      { pointer: '/dedupeTtlMs', detail: 'is for the dedupe policy ttl only, the policy of this job is until_started' },
    ]);
    const check = (options: EnqueueOptions) => () => {
      checkOptions(options, 'until_finished');
    };
    expect(check({ dedupeTtlMs: 1_000 })).toThrow(
      '/dedupeTtlMs: is for the dedupe policy ttl only, the policy of this job is until_finished',
    );
    expect(check({ dedupeTtlMs: 1_000, dedupePolicy: 'ttl' })).not.toThrow();
    expect(check({})).not.toThrow();
  });

  it.each(TEXTS)('take %s with 1 to %d characters, whatever these are made of', (name, max) => {
    for (const character of ['x', '€', '😀']) {
      expect(faultsOf({ [name]: character })).toEqual([]);
      expect(faultsOf({ [name]: character.repeat(max) })).toEqual([]);
      expect(faultsOf({ [name]: character.repeat(max + 1) })).toEqual([
        { pointer: `/${name}`, detail: `must have 1 to ${max} characters` },
      ]);
    }
    expect(pointersOf({ [name]: '' })).toEqual([`/${name}`]);
  });

  it('take 10 tags of 1 to 64 characters', () => {
    expect(faultsOf({ tags: Array.from({ length: 10 }, () => '😀'.repeat(64)) })).toEqual([]);
    expect(faultsOf({ tags: Array.from({ length: 11 }, () => 't') })).toEqual([
      { pointer: '/tags', detail: 'must have at most 10 entries' },
    ]);
    expect(pointersOf({ tags: ['ok', '', 't'.repeat(65)] })).toEqual(['/tags/1', '/tags/2']);
  });

  it('take 20 entries of metadata, keys of 1 to 64 characters, values of at most 512', () => {
    const entries = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [`key ${index}`, 'x'.repeat(512)]));
    expect(faultsOf({ metadata: entries(20) })).toEqual([]);
    expect(pointersOf({ metadata: entries(21) })).toEqual(['/metadata']);
    expect(faultsOf({ metadata: { ['k'.repeat(64)]: '' } })).toEqual([]);
    expect(pointersOf({ metadata: { ['k'.repeat(65)]: '' } })).toEqual(['/metadata']);
    expect(pointersOf({ metadata: { '': 'x' } })).toEqual(['/metadata']);
    expect(faultsOf({ metadata: { 'a/b~c': 'x'.repeat(513) } })).toEqual([
      { pointer: '/metadata/a~1b~0c', detail: 'must have at most 512 characters' },
    ]);
  });

  it('take metadata of any text that fits a record, and none that would not', () => {
    const entries = (character: string) =>
      Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`${index} ${character.repeat(60)}`, character.repeat(512)]));
    for (const character of ['x', '"', '€', '😀']) expect(faultsOf({ metadata: entries(character) })).toEqual([]);
    // JSON writes it with six bytes.
    expect(faultsOf({ metadata: entries('\u0001') })).toEqual([
      { pointer: '/metadata', detail: 'must have at most 49152 bytes as JSON' },
    ]);
  });

  it.each(['\ud800', 'a\udc00b', '😀\ud83d', 'a\0'])('refuse NUL and half a character in any text: %j', (text) => {
    const detail = 'has a NUL character or half of a surrogate pair';
    for (const name of ['dedupeKey', 'onceKey', 'userId', 'requestId', 'signAs']) {
      expect(faultsOf({ [name]: text })).toEqual([{ pointer: `/${name}`, detail }]);
    }
    expect(faultsOf({ tags: ['fine', text] })).toEqual([{ pointer: '/tags/1', detail }]);
    expect(faultsOf({ metadata: { key: text } })).toEqual([{ pointer: '/metadata/key', detail }]);
    expect(faultsOf({ metadata: { [text]: 'value' } })).toEqual([{ pointer: '/metadata', detail: `a key ${detail}` }]);
  });

  type Wrong = readonly [name: string, value: unknown, message: string];
  const wholes: readonly Wrong[] = NUMBERS.map(([name, { min, max }]) => [
    name,
    '5',
    `/${name}: must be a whole number from ${min} to ${max}`,
  ]);
  const texts: readonly Wrong[] = [...TEXTS.map(([name]) => name), 'jobId', 'traceparent', 'tracestate'].map((name) => [
    name,
    5,
    `/${name}: must be a string`,
  ]);

  it.each<Wrong>([
    ...wholes,
    ...texts,
    ['dedupePolicy', Symbol('ttl'), '/dedupePolicy: must be one of ttl, until_started, until_finished, until_result_expires'],
    ['onDuplicate', ['existing'], '/onDuplicate: must be one of conflict, existing'],
    ['runAt', '2030-01-31T08:00:00Z', '/runAt: must be a Date'],
    ['runAt', 1_900_000_000_000, '/runAt: must be a Date'],
    ['tags', 'signup', '/tags: must be a list of strings'],
    ['tags', null, '/tags: must be a list of strings'],
    ['tags', ['ok', 1, undefined, null], '/tags/1: must be a string; /tags/2: must be a string; /tags/3: must be a string'],
    ['metadata', null, '/metadata: must be an object of strings'],
    ['metadata', ['a'], '/metadata: must be an object of strings'],
    [
      'metadata',
      { a: 1, b: null, c: 1n },
      '/metadata/a: must be a string; /metadata/b: must be a string; /metadata/c: must be a string',
    ],
    ['backoff', '5s', '/backoff: must be a back-off such as fixed("5s")'],
    ['backoff', null, '/backoff: must be a back-off such as fixed("5s")'],
    ['backoff', {}, '/backoff/kind: must be one of exponential, fixed, quadratic'],
    ['backoff', { kind: 'toString' }, '/backoff/kind: must be one of exponential, fixed, quadratic'],
    ['backoff', { kind: 'custom', delayMs: () => 1 }, '/backoff/kind: must be one of exponential, fixed, quadratic'],
    ['backoff', { kind: 'fixed', delayMs: '5' }, `/backoff/delayMs: must be a number from 0 to ${MAX_RETRY_DELAY_MS}`],
  ])('refuse a %s of the wrong type: %p', (name, value, message) => {
    expect(() => {
      checkOptions(unchecked({ [name]: value }));
    }).toThrow(new InvalidOptionsError(faultsIn(message)));
  });

  it.each([null, 'text', 5, [], () => ({})])('are an object, not %p', (options) => {
    expect(faultsOf(options as never)).toEqual([{ pointer: '', detail: 'must be an object of options' }]);
    expect(() => {
      checkOptions(options as never);
    }).toThrow('options: must be an object of options');
  });

  it('are refused with an answer that does not grow with them', () => {
    const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`key ${index}`, index]));
    expect(
      faultsOf(unchecked({ metadata: many, tags: Array.from({ length: 10_000 }, () => 1), userId: 'x'.repeat(1e7) })),
    ).toEqual([
      { pointer: '/userId', detail: 'must have 1 to 128 characters' },
      { pointer: '/tags', detail: 'must have at most 10 entries' },
      { pointer: '/metadata', detail: 'must have at most 20 entries' },
    ]);
  });

  it('take every dedupe policy and every answer to a duplicate, and no other', () => {
    for (const dedupePolicy of DEDUPE_POLICIES) expect(faultsOf({ dedupePolicy })).toEqual([]);
    for (const onDuplicate of DUPLICATE_ANSWERS) expect(faultsOf({ onDuplicate })).toEqual([]);
    expect(faultsOf(unchecked({ dedupePolicy: 'for_ever', onDuplicate: 'replace' }))).toEqual([
      { pointer: '/dedupePolicy', detail: 'must be one of ttl, until_started, until_finished, until_result_expires' },
      { pointer: '/onDuplicate', detail: 'must be one of conflict, existing' },
    ]);
  });

  const withBackoff = (backoff: NonNullable<EnqueueOptions['backoff']>) => faultsOf({ backoff });

  it('take back-offs within their bounds', () => {
    const max = MAX_RETRY_DELAY_MS;
    expect(withBackoff({ kind: 'exponential', baseMs: 0, factor: 1, capMs: 0 })).toEqual([]);
    expect(withBackoff({ kind: 'exponential', baseMs: max, factor: 100, capMs: max })).toEqual([]);
    expect(withBackoff({ kind: 'fixed', delayMs: max })).toEqual([]);
    expect(withBackoff({ kind: 'quadratic', baseMs: max, capMs: max })).toEqual([]);
  });

  it.each([-1, MAX_RETRY_DELAY_MS + 1, NaN, Infinity])('refuse a back-off of %d ms, naming the number that is wrong', (ms) => {
    const detail = `must be a number from 0 to ${MAX_RETRY_DELAY_MS}`;
    expect(withBackoff({ kind: 'fixed', delayMs: ms })).toEqual([{ pointer: '/backoff/delayMs', detail }]);
    expect(withBackoff({ kind: 'quadratic', baseMs: ms, capMs: ms })).toEqual([
      { pointer: '/backoff/baseMs', detail },
      { pointer: '/backoff/capMs', detail },
    ]);
    expect(withBackoff({ kind: 'exponential', baseMs: ms, factor: 2, capMs: ms })).toEqual([
      { pointer: '/backoff/baseMs', detail },
      { pointer: '/backoff/capMs', detail },
    ]);
  });

  it.each([0, 0.99, 100.1, NaN, Infinity])('refuse a factor of %d', (factor) => {
    expect(withBackoff({ kind: 'exponential', baseMs: 1, factor, capMs: 1 })).toEqual([
      { pointer: '/backoff/factor', detail: 'must be a number from 1 to 100' },
    ]);
  });

  it('name all faults at once, in the message too', () => {
    const options: EnqueueOptions = { priority: 10, dedupeKey: '', tags: [''] };
    expect(pointersOf(options)).toEqual(['/priority', '/dedupeKey', '/tags/0']);
    expect(() => {
      checkOptions(options);
    }).toThrow('/priority: must be a whole number from 0 to 9; /dedupeKey: must have 1 to 255 characters');
  });

  const NAMES: readonly (keyof EnqueueOptions)[] = [
    ...NUMBERS.map(([name]) => name),
    ...TEXTS.map(([name]) => name),
    ...(['traceparent', 'tracestate', 'dedupePolicy', 'onDuplicate', 'runAt', 'tags', 'metadata', 'backoff'] as const),
  ];

  it('are refused or taken, never stumbled over, whatever they are', () => {
    const anything = fc.anything({
      withBigInt: true,
      withDate: true,
      withMap: true,
      withNullPrototype: true,
      withObjectString: true,
      withSparseArray: true,
    });
    const near = fc.record<Record<string, unknown>>({
      tags: fc.array(anything),
      metadata: fc.dictionary(fc.string({ unit: 'binary' }), anything),
      runAt: fc.date({ noInvalidDate: false }),
      backoff: fc.record({
        kind: fc.constantFrom('exponential', 'fixed', 'quadratic', 'custom'),
        baseMs: anything,
        factor: anything,
      }),
    });
    const record = fc.dictionary(fc.constantFrom(...NAMES), anything);
    fc.assert(
      fc.property(fc.oneof(anything, record, near), (given) => {
        const faults = faultsOf(given as never);
        expect(faults.every(({ pointer, detail }) => (pointer === '' || pointer.startsWith('/')) && detail !== '')).toBe(true);
      }),
      { numRuns: 500 },
    );
  });
});

/** The faults in a message, the other way round. */
function faultsIn(message: string): readonly Violation[] {
  return message.split('; ').map((fault) => {
    const [pointer = '', detail = ''] = fault.split(': ');
    return { pointer, detail };
  });
}
