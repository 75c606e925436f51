import { Wrong, type Variable } from './variable.js';

const TYPE = /^[a-z][a-z0-9.-]{0,63}$/;
const TYPE_GLOB = /^!?[a-z0-9.*-]{1,64}$/;
const MOST_AT_ONCE = 10_000;

/** Which job types a worker runs. */
export const workerTypes: Variable<readonly string[]> = {
  name: 'WORKER_TYPES',
  expected:
    'a comma list of job types, where * stands for any text and ! excludes (alone: all but these), such as "email.*,import.customers" or "!report.generate"',
  fallback: ['*'],
  parse: (text) => {
    const globs = text.split(',').map((glob) => glob.trim());
    const stray = globs.find((glob) => !TYPE_GLOB.test(glob));
    return stray === undefined ? globs : new Wrong(`"${stray}" is no name of a type`);
  },
};

/** How many jobs of a type a worker runs at once, where that differs from the type's definition. */
export const workerConcurrency: Variable<Readonly<Record<string, number>>> = {
  name: 'WORKER_CONCURRENCY',
  expected: `a comma list of type=number, each number from 1 to ${MOST_AT_ONCE}, such as email.send=50,report.generate=2`,
  fallback: {},
  parse: (text) => {
    const limits = new Map<string, number>();
    for (const entry of text.split(',').map((part) => part.trim())) {
      const [type = '', amount = '', ...more] = entry.split('=').map((part) => part.trim());
      const inBounds = /^\d{1,5}$/.test(amount) && Number(amount) >= 1 && Number(amount) <= MOST_AT_ONCE;
      if (!TYPE.test(type) || !inBounds || more.length > 0) return new Wrong(`"${entry}" is none`);
      if (limits.has(type)) return new Wrong(`${type} stands there twice`);
      limits.set(type, Number(amount));
    }
    return Object.fromEntries(limits);
  },
};
