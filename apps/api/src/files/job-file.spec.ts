import type { Job } from '@antrean/jobs';
import { jobFile } from './job-file.js';

const jobId = 'report.generate_01J8PP1PKH282P1K2YVH454RJD';
const FOLDER = 'jobs/report.generate/01j8pp1pkh282p1k2yvh454rjd';

const fileOf = (result: unknown, finishedAt: Date | null = null) => jobFile({ jobId, result, finishedAt } as Job); // What it reads of one.

describe('the file of a job', () => {
  it('is the one in its folder that its result names, saved with the day it was made', () => {
    expect(fileOf({ file_key: `${FOLDER}/orders.csv` }, new Date('2026-01-31T23:59:59Z'))).toEqual({
      name: `${FOLDER}/orders.csv`,
      fileName: 'orders-2026-01-31.csv',
    });
    expect(fileOf({ file_key: `${FOLDER}/orders` }, new Date(0)).fileName).toBe('orders-1970-01-01');
    expect(fileOf({ file_key: `${FOLDER}/a.tar.gz` }, new Date(0)).fileName).toBe('a.tar-1970-01-01.gz');
    expect(fileOf({ file_key: `${FOLDER}/orders.csv` }).fileName).toBe('orders.csv');
  });

  it.each([
    null,
    undefined,
    'orders.csv',
    {},
    { file_key: 5 },
    { file_key: FOLDER },
    { file_key: `${FOLDER}/` },
    { file_key: `${FOLDER}/../01j8pp1pkh282p1k2yvh454rje/orders.csv` },
    { file_key: `${FOLDER}/./orders.csv` },
    { file_key: `${FOLDER}//orders.csv` },
    { file_key: `${FOLDER}x/orders.csv` },
    { file_key: `/${FOLDER}/orders.csv` },
    { file_key: `${FOLDER}/a\\..\\b` },
    { file_key: `${FOLDER}/%2e%2e/orders.csv` },
    { file_key: 'jobs/import.customers/01j8pp1pkh282p1k2yvh454rjd/upload.csv' },
  ])('is none when its result is %j', (result) => {
    expect(() => fileOf(result)).toThrow();
  });
});
