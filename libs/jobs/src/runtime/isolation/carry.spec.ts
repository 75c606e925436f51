import fc from 'fast-check';
import { IsString } from 'class-validator';
import {
  DuplicateJobError,
  InvalidPayloadError,
  JobAbortedError,
  PermanentError,
  QueueUnavailableError,
  RetryAfterError,
  Snooze,
} from '../../definition/errors.js';
import { defineJob, type JobDefinition } from '../../definition/job-definition.js';
import { isPermanent, judge } from '../../definition/outcome.js';
import { custom, fixed } from '../../definition/retry-policy.js';
import { describeThrown, stackOf } from '../../definition/thrown.js';
import { carry } from './carry.js';
import { restore } from './restore.js';

class Payload {
  @IsString()
  name!: string;
}

/** As it arrives in another thread. */
function crossed(thrown: unknown): unknown {
  return restore(structuredClone(carry(thrown)));
}

/** A classifier that asks for more than the default one. */
function asksAll(error: unknown): boolean {
  const { code, retryable, response } = error as {
    code?: unknown;
    retryable?: unknown;
    response?: { data?: { fatal?: unknown } };
  };
  return code === 'E_FATAL' || retryable === false || response?.data?.fatal === true || isPermanent(error);
}

const byDefault = defineJob('one.run', { payload: Payload, retry: fixed('7s') });
const asking: JobDefinition = defineJob('two.run', {
  payload: Payload,
  permanent: asksAll,
  retry: custom((attempt, error) => attempt * 1_000 + ((error as { status?: unknown } | undefined)?.status === 503 ? 5 : 0)),
});

/** All that the engine makes of a thrown value. */
function whatBecomesOf(thrown: unknown): unknown {
  return {
    verdicts: [byDefault, asking].map((definition) => judge(definition, definition.retry, 3, thrown)),
    kept: describeThrown(thrown),
    stack: stackOf(thrown),
  };
}

function throwing(name: string): Error {
  return Object.defineProperty(new Error('x'), name, {
    get: () => {
      throw new Error('no');
    },
  });
}

class HttpError extends Error {
  constructor(private readonly answered: number) {
    super('from a server');
  }

  get status(): number {
    return this.answered;
  }
}

class QuotaError extends PermanentError {
  readonly quota = 5;
}

class Unknown {
  toString(): string {
    return 'something of mine';
  }
}

const circular: Record<string, unknown> = { code: 'E_CIRCLE' };
circular['self'] = circular;

const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('no');
    },
    ownKeys: () => {
      throw new Error('no');
    },
    getPrototypeOf: () => {
      throw new Error('no');
    },
  },
);

const THROWN: readonly (readonly [string, unknown])[] = [
  ['undefined', undefined],
  ['null', null],
  ['a text', 'plain text'],
  ['an empty text', ''],
  ['a number', 42],
  ['NaN', Number.NaN],
  ['a bigint', 10n],
  ['a symbol', Symbol('s')],
  [
    'a function',
    function named() {
      return 1;
    },
  ],
  ['a function without a name', () => undefined],
  ['an array', [1, 'two', [3]]],
  ['an object with an HTTP status', { status: 404 }],
  ['an object of a class', new Unknown()],
  ['an object without a prototype', Object.create(null)],
  ['a circular object', circular],
  ['a frozen error', Object.freeze(new TypeError('frozen'))],
  ['an error without a message', new RangeError()],
  ['a PermanentError', new PermanentError('never', { code: 'E_NEVER', cause: new Error('deep') })],
  ['an error of a class made from it', new QuotaError('over')],
  ['a RetryAfterError', new RetryAfterError('busy', '90s')],
  ['a RetryAfterError without end', Object.assign(new RetryAfterError('busy', '1s'), { delayMs: Number.POSITIVE_INFINITY })],
  ['a Snooze', new Snooze('5m', 'not yet')],
  ['an InvalidPayloadError', new InvalidPayloadError('one.run', [{ pointer: '/name', detail: 'must be a string' }])],
  ['a DuplicateJobError', new DuplicateJobError('one.run_1', 'queued', 'k')],
  ['a QueueUnavailableError', new QueueUnavailableError('unknown', 'one.run_1', { cause: new Error('gone') })],
  ['a JobAbortedError', new JobAbortedError('timed_out')],
  ['an error with a code', Object.assign(new Error('refused'), { code: 'ECONNREFUSED' })],
  ['an error with its own classification', Object.assign(new Error('no'), { retryable: false })],
  ['an error with a status that its class knows', new HttpError(403)],
  ['the same, but passing', new HttpError(429)],
  ['the same, from the server', new HttpError(503)],
  [
    'an error of an HTTP client',
    Object.assign(new Error('x'), { response: { status: 400, data: { fatal: true }, socket: () => 1 } }),
  ],
  ['an error whose message throws', throwing('message')],
  ['an error whose status throws', throwing('status')],
  ['an error whose code and name throw', Object.defineProperty(throwing('code'), 'name', { get: hostileGet })],
  ['a proxy that refuses everything', hostile],
  ['an AggregateError', new AggregateError([new Error('a'), new Error('b')], 'both')],
  ['the reason of an aborted fetch', new DOMException('This operation was aborted', 'AbortError')],
];

function hostileGet(): never {
  throw new Error('no');
}

describe('a thrown value that crosses between threads', () => {
  it.each(THROWN)('is judged and described as it was: %s', (_what, thrown) => {
    expect(whatBecomesOf(crossed(thrown))).toEqual(whatBecomesOf(thrown));
  });

  it('is judged and described as it was, whatever it is', () => {
    const extras = fc.dictionary(
      fc.constantFrom('status', 'statusCode', 'code', 'name', 'message', 'response', 'x'),
      fc.anything(),
    );
    const errors = fc
      .tuple(fc.constantFrom(Error, TypeError, PermanentError, HttpError as unknown as typeof Error), fc.string(), extras)
      .map(([kind, message, extra]) => {
        const error = new kind(message);
        for (const [name, value] of Object.entries(extra)) {
          Object.defineProperty(error, name, { value, enumerable: true, configurable: true });
        }
        return error;
      });
    fc.assert(
      fc.property(fc.oneof(errors, fc.anything({ withBigInt: true, withNullPrototype: true, withDate: true })), (thrown) => {
        expect(whatBecomesOf(crossed(thrown))).toEqual(whatBecomesOf(thrown));
      }),
      { numRuns: 300 },
    );
  });

  it('is an instance of the nearest class of this library or the language', () => {
    expect(crossed(new QuotaError('over'))).toBeInstanceOf(PermanentError);
    expect(crossed(new QuotaError('over'))).toMatchObject({ quota: 5, name: 'PermanentError' });
    expect(crossed(new DuplicateJobError('one.run_1', 'queued', 'k'))).toBeInstanceOf(DuplicateJobError);
    expect(crossed(new DuplicateJobError('one.run_1', 'queued', 'k'))).toMatchObject({
      name: 'DuplicateJobError',
      code: 'duplicate_job',
      jobId: 'one.run_1',
      status: 'queued',
      dedupeKey: 'k',
    });
    const invalid = crossed(new InvalidPayloadError('one.run', [{ pointer: '/name', detail: 'is wrong' }]));
    expect(invalid).toBeInstanceOf(InvalidPayloadError);
    expect(invalid).toMatchObject({ type: 'one.run', violations: [{ pointer: '/name', detail: 'is wrong' }] });
    expect(crossed(new TypeError('t'))).toBeInstanceOf(TypeError);
    expect(crossed(new HttpError(1))).toBeInstanceOf(Error);
    expect(crossed(['a'])).toEqual(['a']);
  });

  it('keeps causes, circles and dates', () => {
    const error = new Error('outer', { cause: new TypeError('inner') });
    const arrived = crossed(Object.assign(error, { self: error, at: new Date(5) })) as typeof error & {
      self: unknown;
      at: unknown;
    };
    expect(arrived.cause).toBeInstanceOf(TypeError);
    expect(arrived.cause).toMatchObject({ message: 'inner' });
    expect(arrived.self).toBe(arrived);
    expect(arrived.at).toEqual(new Date(5));
  });

  it('throws where the original threw', () => {
    expect(() => (crossed(throwing('status')) as { status: unknown }).status).toThrow('could not be read');
  });

  it('stays small, whatever hangs on it', () => {
    const chain: unknown[] = [];
    chain.push(
      chain,
      Array.from({ length: 100_000 }, (_, index) => ({ index })),
      Buffer.alloc(1_000_000),
      'x'.repeat(1_000_000),
    );
    const carried = carry(Object.assign(new Error('x'), { chain }));
    expect(
      JSON.stringify(carried, (key, value: unknown) => (key === 'value' && value === carried.value ? 'root' : value), 0).length,
    ).toBeLessThan(200_000);
  });
});
