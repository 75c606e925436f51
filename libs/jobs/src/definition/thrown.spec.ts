import fc from 'fast-check';
import { describeThrown, stackOf } from './thrown.js';

const MESSAGE = 2_000;
const charactersOf = (text: string): number => Array.from(text).length;

/** Throws whatever is done with it. */
function hostile(): object {
  const refuse = () => {
    throw new Error('Hands off.');
  };
  return new Proxy({}, { get: refuse, has: refuse, getPrototypeOf: refuse, ownKeys: refuse, getOwnPropertyDescriptor: refuse });
}

function circular(): object {
  const knot: { self?: unknown } = {};
  knot.self = knot;
  return knot;
}

function withGetters(get: () => unknown): object {
  return Object.defineProperties({}, { name: { get }, code: { get }, message: { get }, stack: { get } });
}

describe('describeThrown', () => {
  it('takes name, code and message of an error', () => {
    const error = Object.assign(new TypeError('It does not fit.'), { code: 'no_fit' });
    expect(describeThrown(error)).toEqual({ name: 'TypeError', code: 'no_fit', message: 'It does not fit.' });
  });

  it('says `error` where there is no code', () => {
    expect(describeThrown(new Error('x')).code).toBe('error');
    expect(describeThrown(Object.assign(new Error('x'), { code: '' })).code).toBe('error');
    expect(describeThrown(Object.assign(new Error('x'), { code: { a: 1 } })).code).toBe('error');
  });

  it('writes a number that serves as code as text', () => {
    expect(describeThrown(Object.assign(new Error('x'), { code: 535 })).code).toBe('535');
  });

  it.each<[string, unknown, { name: string; message: string }]>([
    ['undefined', undefined, { name: 'undefined', message: 'undefined' }],
    ['null', null, { name: 'object', message: 'null' }],
    ['a text', 'plain text', { name: 'string', message: 'plain text' }],
    ['an empty text', '', { name: 'string', message: '' }],
    ['a number', 42, { name: 'number', message: '42' }],
    ['NaN', NaN, { name: 'number', message: 'NaN' }],
    ['a big integer', 42n, { name: 'bigint', message: '42' }],
    ['true', true, { name: 'boolean', message: 'true' }],
    ['a symbol', Symbol('s'), { name: 'symbol', message: 'Symbol(s)' }],
    ['an error without a message', new RangeError(), { name: 'RangeError', message: 'RangeError' }],
    ['an object', { a: 1 }, { name: 'object', message: '[object Object]' }],
    ['an object with a message', { message: 'odd' }, { name: 'object', message: 'odd' }],
    ['a frozen error', Object.freeze(new Error('cold')), { name: 'Error', message: 'cold' }],
    ['a circular object', circular(), { name: 'object', message: '[object Object]' }],
  ])('describes %s', (_what, thrown, expected) => {
    expect(describeThrown(thrown)).toEqual({ code: 'error', ...expected });
  });

  const UNPRINTABLE = { name: 'object', code: 'error', message: 'A value was thrown that cannot be printed.' };

  it('describes an object whose getters throw', () => {
    const thrown = withGetters(() => {
      throw new Error('Hands off.');
    });
    expect(describeThrown(thrown)).toEqual({ name: 'object', code: 'error', message: '[object Object]' });
  });

  it.each<[string, () => object]>([
    ['a proxy that throws whatever is done with it', hostile],
    ['an object without a prototype', () => Object.create(null) as object],
    [
      'an object that cannot be written as text',
      () => ({
        toString: () => {
          throw new Error('Hands off.');
        },
      }),
    ],
    [
      'a revoked proxy',
      () => {
        const { proxy, revoke } = Proxy.revocable({}, {});
        revoke();
        return proxy;
      },
    ],
  ])('says that %s cannot be printed', (_what, thrown) => {
    expect(describeThrown(thrown())).toEqual(UNPRINTABLE);
  });

  it('is not led astray by getters that answer something else than text', () => {
    expect(describeThrown(withGetters(() => Symbol('s')))).toEqual({ name: 'object', code: 'error', message: '[object Object]' });
    expect(describeThrown(withGetters(circular)).name).toBe('object');
  });

  it('cuts a message of 10,000 characters by characters', () => {
    for (const character of ['x', 'é', '漢', '😀']) {
      const { message } = describeThrown(new Error(character.repeat(10_000)));
      expect(message).toBe(character.repeat(MESSAGE));
    }
  });

  it('leaves no character in half where it cuts', () => {
    const { message } = describeThrown(new Error(`x${'😀'.repeat(10_000)}`));
    expect(message).toBe(`x${'😀'.repeat(MESSAGE - 1)}`);
  });

  it('makes nothing large of a message of 100 million characters', () => {
    // In one piece, unlike what repeat() makes.
    const message = Buffer.alloc(100_000_000, 'x').toString('latin1');
    const before = process.memoryUsage().heapUsed;
    const facts = describeThrown({ message, name: message, code: message });
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(50_000_000);
    expect(facts.message).toBe('x'.repeat(MESSAGE));
  });

  it('keeps a message that is just as long as allowed', () => {
    expect(describeThrown(new Error('x'.repeat(MESSAGE))).message).toHaveLength(MESSAGE);
    expect(charactersOf(describeThrown(new Error('😀'.repeat(MESSAGE))).message)).toBe(MESSAGE);
  });

  it('puts a mark where half a character was', () => {
    expect(describeThrown(new Error('a\ud800b')).message).toBe('a\ufffdb');
    expect(describeThrown(new Error(`${'x'.repeat(10_000)}\udc00`)).message).toBe('x'.repeat(MESSAGE));
  });

  it('cuts name and code, too', () => {
    const { name, code } = describeThrown({ name: '😀'.repeat(500), code: 'c'.repeat(500), message: 'x' });
    expect([charactersOf(name), charactersOf(code)]).toEqual([100, 100]);
  });

  it('describes anything in bounded, well-formed text that survives JSON', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 3_000, size: 'max' });
    const errorLike = fc.record({ name: texts, code: fc.oneof(texts, fc.double()), message: texts });
    fc.assert(
      fc.property(fc.oneof(fc.anything({ withNullPrototype: true, withBigInt: true }), errorLike), (thrown) => {
        const facts = describeThrown(thrown);
        expect(JSON.parse(JSON.stringify(facts))).toEqual(facts);
        const lengths = Object.values(facts).map(charactersOf);
        expect(lengths[0]).toBeLessThanOrEqual(100);
        expect(lengths[1]).toBeLessThanOrEqual(100);
        expect(lengths[2]).toBeLessThanOrEqual(MESSAGE);
        expect(Object.values(facts).every((text: string) => text.isWellFormed())).toBe(true);
      }),
    );
  });
});

describe('stackOf', () => {
  it('is the stack of an error and nothing of anything else', () => {
    const error = new Error('x');
    expect(stackOf(error)).toBe(error.stack);
    expect([undefined, null, 'x', {}, hostile()].map(stackOf)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });
});
