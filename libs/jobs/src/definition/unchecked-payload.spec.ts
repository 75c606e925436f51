import 'reflect-metadata';
import { InvalidPayloadError } from './errors.js';
import { defineJob } from './job-definition.js';
import { parsePayload } from './payload.js';
import { isUnchecked, unchecked } from './unchecked-payload.js';

const Ping = defineJob('ping', { payload: unchecked<{ to: string }>(), dedupe: { key: ({ to }) => to } });

class WithoutRules {
  to = '';
}

describe('unchecked', () => {
  it('takes any object, whatever its fields, and hands on the very same', () => {
    for (const plain of [{ to: 'a' }, { to: 1, more: { deep: [1] } }, JSON.parse('{"__proto__":1,"constructor":2}') as object]) {
      expect(parsePayload(Ping, plain, 'refuse')).toBe(plain);
      expect(parsePayload(Ping, plain, 'ignore')).toBe(plain);
    }
  });

  it.each([undefined, null, 'text', 1, true, [], [{ to: 'a' }]])('refuses %j, which is no JSON object', (plain) => {
    expect(() => parsePayload(Ping, plain, 'refuse')).toThrow(InvalidPayloadError);
    expect(() => parsePayload(Ping, plain, 'ignore')).toThrow(InvalidPayloadError);
  });

  it('keeps the payload a type that the definition works with', () => {
    expect(Ping.dedupe.key({ to: 'a' })).toBe('a');
  });

  it('is told from a class without rules', () => {
    expect([isUnchecked(Ping.payload), isUnchecked(WithoutRules)]).toEqual([true, false]);
  });
});
