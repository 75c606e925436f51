import { existsSync, readFileSync } from 'node:fs';

/** A line that names a test: its file and its title as they stand in the source. */
const TEST = /^ *- `([^`]+\.spec\.ts)`: (.+)$/gm;
/** Where the promises end. */
const LIMITS = '## What is not promised';

const [promises = '', limits = ''] = readFileSync('docs/guarantees.md', 'utf8').split(LIMITS);

describe('docs/guarantees.md', () => {
  it('names no test but those that there are', () => {
    const named = [...promises.matchAll(TEST)].map(([, file = '', title = '']) => ({ file, title }));
    expect(named.length).toBeGreaterThan(50);
    const gone = named.filter(({ file, title }) => !existsSync(file) || !readFileSync(file, 'utf8').includes(`'${title}'`));
    expect(gone).toEqual([]);
  });

  it('has a test below each promise', () => {
    const paragraphs = (promises.split('\n## Submits')[1] ?? '').split('\n\n');
    const bare = paragraphs.filter((text, at) => {
      const isPromise = /^[A-Z]/.test(text);
      return isPromise && !paragraphs[at + 1]?.startsWith('- `');
    });
    expect(bare).toEqual([]);
  });

  it('says what it does not promise', () => {
    expect(limits).toContain('outside effects');
  });
});
