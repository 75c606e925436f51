import fc from 'fast-check';
import { formatJobId, isJobType, parseJobId } from './job-id.js';

const ULID = '01J9ZZZZZZABCDEFGHJKMNPQRS';

const characters = (text: string) => fc.constantFrom(...Array.from(text));
const types = fc
  .tuple(
    characters('abcdefghijklmnopqrstuvwxyz'),
    fc.string({ unit: characters('abcdefghijklmnopqrstuvwxyz0123456789.-'), maxLength: 63 }),
  )
  .map(([first, rest]) => first + rest);
const ulids = fc
  .tuple(
    characters('01234567'),
    fc.string({ unit: characters('0123456789ABCDEFGHJKMNPQRSTVWXYZ'), minLength: 25, maxLength: 25 }),
  )
  .map(([first, rest]) => first + rest);

describe('a job id', () => {
  it('is taken apart into what it was made of, for every type and every ULID', () => {
    fc.assert(
      fc.property(types, ulids, (type, ulid) => {
        expect(parseJobId(formatJobId({ type, ulid }))).toEqual({ type, ulid });
      }),
    );
  });

  it('is read from any text without throwing, and only from what it would be written as', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.string({ unit: 'binary' })), (text) => {
        const id = parseJobId(text);
        if (id !== undefined) expect(formatJobId(id)).toBe(text);
      }),
    );
  });

  it.each([
    ['nothing', ''],
    ['no type', `_${ULID}`],
    ['no separator', `email${ULID}`],
    ['no ULID', 'email.send_'],
    ['another _ in the type', `email_send_${ULID}`],
    ['a capital in the type', `Email.send_${ULID}`],
    ['a digit first', `1email_${ULID}`],
    ['a type of 65 characters', `${'a'.repeat(65)}_${ULID}`],
    ['a brace in the type', `a}b_${ULID}`],
    ['a space after it', `email.send_${ULID} `],
    ['a line feed after it', `email.send_${ULID}\n`],
    ['a short ULID', `email.send_${ULID.slice(1)}`],
    ['a long ULID', `email.send_${ULID}0`],
    ['small letters', `email.send_${ULID.toLowerCase()}`],
    ['a letter that base 32 leaves out', `email.send_${ULID.slice(0, -1)}U`],
    ['more than 128 bits', `email.send_8${ULID.slice(1)}`],
    ['a path', `../email.send_${ULID}`],
  ])('is none with %s', (_what, text) => {
    expect(parseJobId(text)).toBeUndefined();
  });
});

describe('a job type', () => {
  it.each(['a', 'email.send', 'a-b.c-9', 'a..b', 'a'.repeat(64)])('may be called %s', (text) => {
    expect(isJobType(text)).toBe(true);
  });

  it.each(['', '.a', '-a', '9a', 'A', 'a_b', 'a b', 'a:b', 'a{b}', 'ä', 'a\n', 'a'.repeat(65)])(
    'may not be called %j',
    (text) => {
      expect(isJobType(text)).toBe(false);
    },
  );
});
