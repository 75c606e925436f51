import { jobFolder, jobOfFile } from './job-folder.js';

const JOB = 'import.customers_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0';
const FOLDER = 'jobs/import.customers/01jdvz8xq4t4y8q7m5k3n2p1r0';

describe('the folder of a job', () => {
  it('is known by its files', () => {
    expect(jobFolder(JOB)).toBe(FOLDER);
    for (const file of [`${FOLDER}/upload.csv`, `${FOLDER}/a/b`]) expect(jobOfFile(file)).toBe(JOB);
  });

  it.each([
    FOLDER,
    `orders/${FOLDER}/x`,
    FOLDER.replace('jobs', 'orders') + '/x',
    FOLDER.toUpperCase() + '/x',
    'jobs/import.customers/queue.json',
    'jobs/import.customers/01jdvz8xq4t4y8q7m5k3n2p1r/x',
    'jobs/import.customers/81jdvz8xq4t4y8q7m5k3n2p1r0/x',
    'jobs/import.customers/01jdvz8xq4t4y8q7m5k3n2p1ru/x',
    'jobs/1mport/01jdvz8xq4t4y8q7m5k3n2p1r0/x',
    'jobs/01jdvz8xq4t4y8q7m5k3n2p1r0/x',
  ])('is not where %s lies', (file) => {
    expect(jobOfFile(file)).toBeUndefined();
  });

  it('is there for jobs only', () => {
    expect(() => jobFolder('../../etc')).toThrow(TypeError);
  });
});
