import { formatJobId, parseJobId } from '../definition/job-id.js';
import { newUlid } from './new-ulid.js';

describe('newUlid', () => {
  it('makes 20,000 ids in a row, many in the same millisecond, that are unique, sorted, and fit for a job id', () => {
    const made = Array.from({ length: 20_000 }, newUlid);
    expect(new Set(made).size).toBe(made.length);
    expect(made).toEqual([...made].sort());
    expect(made.filter((ulid) => parseJobId(formatJobId({ type: 'a', ulid })) === undefined)).toEqual([]);
    const milliseconds = new Set(made.map((ulid) => ulid.slice(0, 10)));
    expect(milliseconds.size).toBeLessThan(made.length / 10);
  });
});
