import { readFileSync } from 'node:fs';
import { PROBLEMS } from './problem-codes.js';

/** A row of the page's table: `| code | status |`. */
const ROW = /^\| `(\w+)` \| (\d{3}) \|/gm;

describe('docs/problems.md', () => {
  it('lists every problem code with its status, and no other', () => {
    const page = readFileSync('docs/problems.md', 'utf8');
    const listed = [...page.matchAll(ROW)].map(([, code, status]) => [code, Number(status)]);
    expect(listed).toEqual(Object.entries(PROBLEMS).map(([code, { status }]) => [code, status]));
  });
});
