import { gzipSync } from 'node:zlib';
import { keptBody } from './kept-body.js';

const JSON_HEADERS = { 'content-type': 'application/json; charset=utf-8' };

const keptJson = (text: string): unknown => keptBody(Buffer.from(text), false, JSON_HEADERS).body;

describe('the body of an answer', () => {
  it.each<[string, unknown]>([
    ['{"id": 7, "name": "Budi 🎉", "list": [1.5, -2, null, true]}', { id: 7, name: 'Budi 🎉', list: [1.5, -2, null, true] }],
    ['{"emoji":"\\ud83d\\ude00","quote":"\\"12345678901234567890\\""}', { emoji: '😀', quote: '"12345678901234567890"' }],
    ['[0.30000000000000004, 9007199254740992, 1e+21]', [0.30000000000000004, 9_007_199_254_740_992, 1e21]],
    ['{"a": {"a": ":"}, "10": -0.5, "2": {"a": "\\""}}', { a: { a: ':' }, 10: -0.5, 2: { a: '"' } }],
    ['null', null],
    ['"text"', 'text'],
  ])('is kept as a value when it is JSON: %s', (text, value) => {
    expect(keptBody(Buffer.from(text), false, JSON_HEADERS)).toEqual({ body: value, truncated: false });
  });

  it.each(['application/problem+json', 'Application/JSON', 'application/vnd.api+json;x=y'])('is JSON as %s', (type) => {
    expect(keptBody(Buffer.from('{}'), false, { 'content-type': type }).body).toEqual({});
  });

  it.each([
    '{"id": 12345678901234567890}',
    '{"id": 9007199254740993}',
    '[0.1234567890123456789]',
    '[1e400]',
    '[-0]',
    '{"a":1,"a":2}',
    '[{"a":null,"\\u0061" : null}]',
    '["\\u0000"]',
    '["\\ud800"]',
    '['.repeat(65) + ']'.repeat(65),
    `[${'1e+20,'.repeat(100)}1]`,
    '{"cut',
    'not JSON',
  ])('stays the text that it is when as a value it would be another, or cannot be one: %s', (text) => {
    expect(keptJson(text)).toBe(text);
  });

  it('stays a text when it says that it is one', () => {
    expect(keptBody(Buffer.from('{"a":1}\r\n\té'), false, { 'content-type': 'text/plain' }).body).toBe('{"a":1}\r\n\té');
    expect(keptBody(Buffer.from('{"a":1}'), false, {}).body).toBe('{"a":1}');
  });

  it('is null when there is none, and when it is something else than text, which counts as truncated', () => {
    expect(keptBody(Buffer.alloc(0), false, JSON_HEADERS)).toEqual({ body: null, truncated: false });
    for (const bytes of [Buffer.from([0xff, 0xd8, 0xff]), Buffer.from('a\0b'), Buffer.from([0x63, 0xe9]), gzipSync('text')]) {
      expect(keptBody(bytes, false, {})).toEqual({ body: null, truncated: true });
    }
    expect(keptBody(Buffer.from('text'), false, { 'content-encoding': 'br' })).toEqual({ body: null, truncated: true });
    expect(keptBody(Buffer.from('text'), false, { 'content-encoding': 'Identity' }).body).toBe('text');
  });

  it('ends before the character that was cut', () => {
    const bytes = Buffer.from('ab€');
    for (const end of [3, 4]) {
      expect(keptBody(bytes.subarray(0, end), true, {})).toEqual({ body: 'ab', truncated: true });
      expect(keptBody(bytes.subarray(0, end), false, {})).toEqual({ body: null, truncated: true });
    }
    expect(keptBody(Buffer.from('{"a":1}'), true, JSON_HEADERS)).toEqual({ body: '{"a":1}', truncated: true });
  });
});
