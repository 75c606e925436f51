import type Sqlite from 'libsql';
import { PreparedStatements } from './prepared-statements.js';

describe('prepared statements', () => {
  let prepared: string[];
  let statements: PreparedStatements;

  beforeEach(() => {
    prepared = [];
    statements = new PreparedStatements((text) => {
      prepared.push(text);
      return { text } as unknown as Sqlite.Statement; // Nothing is asked of it.
    });
  });

  const use = (text: string): void => {
    statements.giveBack(text, statements.take(text));
  };

  it('are made once for each text', () => {
    for (let nth = 0; nth < 5; nth += 1) for (const text of ['a', 'b']) use(text);
    expect(prepared).toEqual(['a', 'b']);
  });

  it('are used by one at a time', () => {
    expect(statements.take('a')).not.toBe(statements.take('a'));
  });

  it('are not used again when they were not given back, as after an error', () => {
    use('a');
    statements.take('a');
    use('a');
    expect(prepared).toEqual(['a', 'a']);
  });

  it('are few: those that were used last', () => {
    for (let nth = 0; nth < 500; nth += 1) {
      use(`now and then ${nth}`);
      use('always');
    }
    expect(prepared.filter((text) => text === 'always')).toHaveLength(1);
    use('now and then 0');
    expect(prepared).toHaveLength(502);
    use('now and then 499');
    expect(prepared).toHaveLength(502);
  });

  it('are all let go of', () => {
    use('a');
    statements.clear();
    use('a');
    expect(prepared).toEqual(['a', 'a']);
  });
});
