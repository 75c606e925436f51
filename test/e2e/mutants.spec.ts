import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const MUTANTS = join(process.cwd(), 'scripts', 'mutants.mjs');

describe('npm run mutants', () => {
  it('has a list that fits the scripts as they are, and finds its mutants by a part of their names', () => {
    const list = (...args: string[]) =>
      execFileSync(process.execPath, [MUTANTS, '--list', ...args], { encoding: 'utf8' })
        .trimEnd()
        .split('\n');
    const all = list();
    expect(all.length).toBeGreaterThanOrEqual(100);
    expect(list('--only', 'dedupe')).toEqual(all.filter((name) => name.includes('dedupe')));
  });
});
