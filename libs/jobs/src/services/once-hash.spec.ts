import fc from 'fast-check';
import type { EnqueueOptions } from '../definition/enqueue-options.js';
import { onceHash } from './once-hash.js';

const hashOf = (payload: string, options: EnqueueOptions = {}) => onceHash(JSON.stringify(JSON.parse(payload)), options);

/** The same value with the fields of all its objects the other way round. */
function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]: [string, unknown]) => [name, reversed(field)]),
  );
}

describe('what a once key stands for', () => {
  it('is the same in whatever order the fields of its objects stand', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (payload) => {
        expect(hashOf(JSON.stringify(reversed(payload)))).toBe(hashOf(JSON.stringify(payload)));
      }),
    );
    const metadata = hashOf('{}', { metadata: { a: '1', b: '2' }, priority: 3 });
    expect(hashOf('{}', { priority: 3, metadata: { b: '2', a: '1' } })).toBe(metadata);
  });

  it('is the same however its numbers and texts are written', () => {
    expect(hashOf('{"n":1.0,"m":1e2,"z":-0,"t":"\\u0041"}')).toBe(hashOf('{"n":1,"m":100,"z":0,"t":"A"}'));
  });

  it.each([
    ['{"a":1}', '{"a":"1"}'],
    ['{"a":null}', '{}'],
    ['{"a":[1,2]}', '{"a":[2,1]}'],
    ['{"a":[{"b":1},{"c":2}]}', '{"a":[{"c":2},{"b":1}]}'],
    ['{"a":{"b":1}}', '{"a":{},"b":1}'],
    ['{"__proto__":{"a":1}}', '{}'],
    ['{"a":0.1}', '{"a":0.10000000000000002}'],
  ])('is another with %s than with %s', (one, other) => {
    expect(hashOf(one)).not.toBe(hashOf(other));
  });

  it('is another with other options, and the same under another id, trace, request, key and secret', () => {
    const plain = hashOf('{}');
    for (const options of [{ priority: 1 }, { runAt: new Date(5) }, { tags: ['a'] }, { delayMs: 1 }]) {
      expect(hashOf('{}', options)).not.toBe(plain);
    }
    expect(hashOf('{}', { runAt: new Date(5) })).not.toBe(hashOf('{}', { runAt: new Date(6) }));
    expect(hashOf('{}', { tags: ['a', 'b'] })).not.toBe(hashOf('{}', { tags: ['b', 'a'] }));
    const apart = { jobId: 'i', traceparent: 't', tracestate: 's', requestId: 'r', onceKey: 'k', signAs: 's' };
    expect(hashOf('{}', apart)).toBe(plain);
  });

  it('is what the options say that it is, whatever payload and other options come with it', () => {
    const named = hashOf('{"file":"a"}', { onceContent: 'digest', userId: 'ana' });
    expect(hashOf('{"file":"b"}', { onceContent: 'digest' })).toBe(named);
    expect(hashOf('{"file":"a"}', { onceContent: 'another', userId: 'ana' })).not.toBe(named);
    expect(hashOf('{"file":"a"}', { userId: 'ana' })).not.toBe(named);
  });
});
