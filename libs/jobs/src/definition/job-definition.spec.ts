import { toMs } from './duration.js';
import { BOUNDS, defineJob, type JobPolicy } from './job-definition.js';
import { exponential, fixed } from './retry-policy.js';

class Payload {
  key = '';
}

const define = (policy: Omit<JobPolicy<Payload>, 'payload'>, type = 'mail.send') =>
  defineJob(type, { payload: Payload, ...policy });

describe('defineJob', () => {
  it('fills in what the author leaves out', () => {
    const definition = define({});
    expect(definition).toMatchObject({
      type: 'mail.send',
      payload: Payload,
      version: 1,
      upgrade: undefined,
      isolation: 'none',
      concurrency: 10,
      timeoutMs: 30_000,
      graceMs: 5_000,
      maxAttempts: 5,
      maxCrashes: 3,
      retry: exponential({ base: '1s', factor: 2, cap: '10m' }),
      permanent: undefined,
      priority: 5,
      dedupe: { policy: 'ttl', ttlMs: 600_000, onDuplicate: 'conflict' },
    });
    expect(definition.dedupe.key(new Payload())).toBeUndefined();
  });

  it('keeps what the author says', () => {
    const permanent = () => true;
    const upgrade = (_from: number, payload: unknown) => payload;
    const definition = define({
      version: 2,
      upgrade,
      isolation: 'thread',
      concurrency: { worker: 3 },
      timeout: '1m',
      grace: '1s',
      attempts: 7,
      maxCrashes: 4,
      retry: fixed('2s'),
      permanent,
      priority: 9,
      dedupe: { key: ({ key }) => key, policy: 'until_finished', ttl: '1h', onDuplicate: 'existing' },
    });
    expect(definition).toMatchObject({
      version: 2,
      upgrade,
      isolation: 'thread',
      concurrency: 3,
      timeoutMs: 60_000,
      graceMs: 1_000,
      maxAttempts: 7,
      maxCrashes: 4,
      retry: { kind: 'fixed', delayMs: 2_000 },
      permanent,
      priority: 9,
      dedupe: { policy: 'until_finished', ttlMs: 3_600_000, onDuplicate: 'existing' },
    });
    expect(definition.dedupe.key({ key: 'k' })).toBe('k');
  });

  const fields: readonly [keyof typeof BOUNDS, (value: number) => Omit<JobPolicy<Payload>, 'payload'>][] = [
    ['version', (version) => ({ version })],
    ['concurrency', (worker) => ({ concurrency: { worker } })],
    ['timeoutMs', (ms) => ({ timeout: `${ms}ms` })],
    ['graceMs', (ms) => ({ grace: `${ms}ms` })],
    ['attempts', (attempts) => ({ attempts })],
    ['crashes', (maxCrashes) => ({ maxCrashes })],
    ['priority', (priority) => ({ priority })],
    ['dedupeTtlMs', (ms) => ({ dedupe: { ttl: `${ms}ms` } })],
  ];

  it.each(fields)('takes %s up to its bounds and refuses it past them, naming type, field and bounds', (field, policyOf) => {
    const { min, max } = BOUNDS[field];
    expect(() => define(policyOf(min))).not.toThrow();
    expect(() => define(policyOf(max))).not.toThrow();
    // A duration below 0 cannot be written, and is refused as such.
    const below = min === 0 && field.endsWith('Ms') ? [] : [min - 1];
    for (const value of [...below, max + 1]) {
      expect(() => define(policyOf(value))).toThrow(
        new TypeError(`mail.send: ${field} is ${value}, it must be a whole number from ${min} to ${max}.`),
      );
    }
  });

  it.each([1.5, NaN, Infinity, -Infinity])('refuses %d where a whole number is meant', (value) => {
    expect(() => define({ attempts: value })).toThrow(TypeError);
    expect(() => define({ priority: value })).toThrow(TypeError);
    expect(() => define({ concurrency: { worker: value } })).toThrow(TypeError);
  });

  it('bounds every time by what a timer of Node can wait for', () => {
    expect(BOUNDS.timeoutMs.max + BOUNDS.graceMs.max).toBeLessThan(2 ** 31);
    expect(BOUNDS.timeoutMs.max).toBe(toMs('1d'));
  });

  it.each(['', 'Mail', 'mail_send', '1mail', 'mail send', 'a'.repeat(65)])(
    'refuses %j as a name and says what one is',
    (type) => {
      expect(() => define({}, type)).toThrow(
        new TypeError(
          `"${type}" is no name for a job type: lower-case letters, digits, "." and "-", at most 64, a letter first.`,
        ),
      );
    },
  );
});
