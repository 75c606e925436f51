import fc from 'fast-check';
import { TypeSelection } from './type-selection.js';

const TYPES = ['email.send', 'email.digest', 'report.generate', 'emailxsend', 'a'];
const selected = (...patterns: string[]): string[] => {
  const selection = new TypeSelection(patterns);
  return TYPES.filter((type) => selection.includes(type));
};

describe('a selection of types', () => {
  it.each<[string, string[], string[]]>([
    ['everything', ['*'], TYPES],
    ['everything, when nothing is said', [], TYPES],
    ['names', ['a', 'email.send'], ['email.send', 'a']],
    ['a glob at the end', ['email.*'], ['email.send', 'email.digest']],
    ['a glob at the start', ['*send'], ['email.send', 'emailxsend']],
    ['a glob in the middle', ['e*t'], ['email.digest']],
    ['many globs', ['*ai*s*'], ['email.send', 'email.digest', 'emailxsend']],
    ['a glob that stands for nothing', ['a*'], ['a']],
    ['all but these', ['!email.*'], ['report.generate', 'emailxsend', 'a']],
    ['these but those', ['email.*', '!*.digest'], ['email.send']],
    ['these but those, in any order', ['!*.digest', 'email.*'], ['email.send']],
    ['nothing', ['!*'], []],
    ['nothing, when what is named does not exist', ['sms.send'], []],
    ['no part of a name', ['email', 'mail.send', 'email.send.x'], []],
  ])('is %s', (_what, patterns, types) => {
    expect(selected(...patterns)).toEqual(types);
  });

  it('takes no character but * for more than itself', () => {
    expect(selected('email.send')).toEqual(['email.send']);
    for (const pattern of ['email?send', 'email[.]send', '(email.send)', 'a|b', 'a+', '^a$', 'a{1}', '\\w', '.', '']) {
      expect(selected(pattern)).toEqual([]);
    }
  });

  it('never throws, and a name always selects itself', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 64 }).filter((text) => !text.startsWith('!') && !/[*\n\r\u2028\u2029]/.test(text)),
        (name) => {
          expect(new TypeSelection([name]).includes(name)).toBe(true);
          expect(new TypeSelection(['*', `!${name}`]).includes(name)).toBe(false);
        },
      ),
    );
  });

  it('knows which types were named outright', () => {
    expect(new TypeSelection(['email.send', 'report.*', '!a', '*', 'b']).named).toEqual(['email.send', 'b']);
  });
});
