import fc from 'fast-check';
import type { Duration } from './duration.js';
import { InvalidPayloadError, JobAbortedError, PermanentError, RetryAfterError, Snooze, type AbortCause } from './errors.js';
import { BOUNDS, defineJob, type JobPolicy } from './job-definition.js';
import { isPermanent, judge } from './outcome.js';
import { fixed } from './retry-policy.js';

class Payload {
  key = '';
}

const RETRY = fixed('7s');
const RETRIED = { kind: 'retry', delayMs: 7_000 };

const judgeWith = (policy: Omit<JobPolicy<Payload>, 'payload'>, thrown: unknown) =>
  judge(defineJob('a', { payload: Payload, ...policy }), RETRY, 1, thrown);
const judged = (thrown: unknown) => judgeWith({}, thrown);

/** Throws whatever is done with it. */
const hostile = (): object => {
  const refuse = () => {
    throw new Error('Hands off.');
  };
  return new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });
};

const revoked = (): object => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  return proxy;
};

describe('what a handler throws', () => {
  it.each<[string, unknown]>([
    ['an error', new Error('x')],
    ['nothing', undefined],
    ['null', null],
    ['a text', 'x'],
    ['a number', 404],
    ['a symbol', Symbol('x')],
    ['an object', { message: 'x' }],
    ['a frozen object', Object.freeze({})],
    ['an object without a prototype', Object.create(null)],
    ['a proxy that throws whatever is done with it', hostile()],
    ['a revoked proxy', revoked()],
    ['an object whose status cannot be read', Object.defineProperty({}, 'status', { get: () => hostile() })],
  ])('is tried again by policy: %s', (_what, thrown) => {
    expect(judged(thrown)).toEqual(RETRIED);
  });

  it('buries as PermanentError, and as a payload that does not fit, whatever the classifier says', () => {
    const policy = { permanent: () => false };
    expect(judgeWith(policy, new PermanentError('never'))).toEqual({ kind: 'bury' });
    expect(judgeWith(policy, new InvalidPayloadError('a', []))).toEqual({ kind: 'bury' });
  });

  it('says itself when to go on, as RetryAfterError and Snooze, whatever the classifier says', () => {
    const policy = { permanent: () => true };
    expect(judgeWith(policy, new RetryAfterError('busy', '90s'))).toEqual({ kind: 'retry', delayMs: 90_000 });
    expect(judgeWith(policy, new Snooze('1h'))).toEqual({ kind: 'snooze', delayMs: 3_600_000 });
  });

  it('does not go on before the back-off of its job as RetryAfterError', () => {
    expect(judged(new RetryAfterError('busy', '5s'))).toEqual(RETRIED);
    expect(judged(new RetryAfterError('busy', '8s'))).toEqual({ kind: 'retry', delayMs: 8_000 });
  });

  it('waits no longer than a job may be delayed, however long it says', () => {
    const delayMs = BOUNDS.delayMs.max;
    expect(judged(new RetryAfterError('later', '9999999999999d'))).toEqual({ kind: 'retry', delayMs });
    // The compiler cannot tell that this is digits and a unit.
    expect(judged(new RetryAfterError('later', `${'9'.repeat(400)}d` as Duration))).toEqual({ kind: 'retry', delayMs });
    expect(judged(new Snooze('366d'))).toEqual({ kind: 'snooze', delayMs });
  });

  it.each<[string, PropertyDescriptor]>([
    ['negative', { value: -1 }],
    ['a text', { value: '5' }],
    ['no number', { value: Number.NaN }],
    ['missing', { value: undefined }],
    [
      'not to be read',
      {
        get: () => {
          throw new Error('Hands off.');
        },
      },
    ],
  ])('waits by policy when the wait it asks for is %s', (_what, delayMs) => {
    const withWait = (error: Error) => Object.defineProperty(error, 'delayMs', delayMs);
    expect(judged(withWait(new RetryAfterError('busy', '90s')))).toEqual(RETRIED);
    expect(judged(withWait(new Snooze('1h')))).toEqual({ ...RETRIED, kind: 'snooze' });
  });

  it('waits by policy when it is a Snooze of which nothing can be read', () => {
    const get = () => {
      throw new Error('Hands off.');
    };
    expect(judged(new Proxy(new Snooze('1h'), { get }))).toEqual({ ...RETRIED, kind: 'snooze' });
  });

  it('waits whole milliseconds', () => {
    const thrown = Object.defineProperty(new Snooze('1h'), 'delayMs', { value: 1.5 });
    expect(judged(thrown)).toEqual({ kind: 'snooze', delayMs: 2 });
  });

  it('is what a subclass of these is, too', () => {
    class CustomerGone extends PermanentError {}
    expect(judged(new CustomerGone('gone'))).toEqual({ kind: 'bury' });
  });

  it.each<AbortCause>(['timed_out', 'lease_lost', 'shutdown', 'cancelled'])(
    'is never permanent when the job was aborted: %s',
    (cause) => {
      expect(judgeWith({ permanent: () => true }, new JobAbortedError(cause))).toEqual(RETRIED);
    },
  );

  it('is told to the back-off with the attempt that failed', () => {
    const thrown = new Error('x');
    const retry = { kind: 'custom' as const, delayMs: (attempt: number, error: unknown) => (error === thrown ? attempt : 0) };
    expect(judge(defineJob('a', { payload: Payload }), retry, 4, thrown)).toEqual({ kind: 'retry', delayMs: 4 });
  });

  it('is one of three verdicts, for any value', () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true }), (thrown) => {
        expect(['retry', 'bury']).toContain(judged(thrown).kind);
      }),
    );
  });
});

describe('a classifier of one’s own', () => {
  it('decides between burial and another try', () => {
    const permanent = (error: unknown) => error === 'never';
    expect(judgeWith({ permanent }, 'never')).toEqual({ kind: 'bury' });
    expect(judgeWith({ permanent }, 'perhaps')).toEqual(RETRIED);
  });

  it('takes the place of the default', () => {
    expect(judgeWith({ permanent: () => false }, { status: 404 })).toEqual(RETRIED);
  });

  it('that throws lets the job be tried again', () => {
    const permanent = () => {
      throw new Error('It cannot tell.');
    };
    expect(judgeWith({ permanent }, new Error('x'))).toEqual(RETRIED);
  });
});

describe('the default classifier', () => {
  it.each([400, 401, 403, 404, 409, 410, 413, 422, 451, 499])('buries on HTTP %d', (status) => {
    expect(isPermanent({ status })).toBe(true);
  });

  it.each([100, 200, 302, 399, 408, 425, 429, 500, 502, 503, 504, 599, NaN])('tries again on HTTP %d', (status) => {
    expect(isPermanent({ status })).toBe(false);
  });

  it.each<[string, unknown]>([
    ['status', Object.assign(new Error('x'), { status: 404 })],
    ['statusCode', Object.assign(new Error('x'), { statusCode: 404 })],
    ['response.status', Object.assign(new Error('x'), { response: { status: 404 } })],
    ['status, before that of the response', { status: 404, response: { status: 500 } }],
  ])('reads %s', (_where, thrown) => {
    expect(isPermanent(thrown)).toBe(true);
    expect(judged(thrown)).toEqual({ kind: 'bury' });
  });

  it.each<[string, unknown]>([
    ['a status that is a text', { status: '404' }],
    ['a response without one', { response: {} }],
    ['a response that is null', { response: null }],
    ['a network error', Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })],
    ['nothing', undefined],
    ['a text', '404'],
    ['a number', 404],
  ])('tries again on %s', (_what, thrown) => {
    expect(isPermanent(thrown)).toBe(false);
  });

  it('ends on an error that is its own response', () => {
    const thrown: { response?: unknown } = {};
    thrown.response = thrown;
    expect(isPermanent(thrown)).toBe(false);
  });
});
