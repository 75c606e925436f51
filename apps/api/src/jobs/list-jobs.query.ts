import { INDEXED_STATUSES, TEXT_BOUNDS, isJobType, type IndexedStatus, type JobFilter } from '@antrean/jobs';
import { isText } from '../http/body-rules.js';
import { ProblemError, type Fault } from '../http/problem-error.js';
import { parseRfc3339 } from '../http/rfc3339.js';
import { JOB_TYPE_FORM } from './job-type-form.js';

/** A `GET /jobs` that fits the contract. */
export interface ListQuery {
  readonly filter: JobFilter;
  readonly limit: number;
  readonly cursor: string | undefined;
}

type Given = Readonly<Record<string, string>>;

export const LIST_PARAMETERS = {
  status: {
    description: 'What waits comes with the soonest first, what has finished with the latest first.',
    required: true,
    schema: { type: 'string', enum: [...INDEXED_STATUSES] },
  },
  type: {
    description:
      'Of this type only. It need not be defined: the jobs of a type that is no more are listed as long as they are kept, and one that ' +
      'never was has none.',
    schema: JOB_TYPE_FORM.schema,
  },
  from: {
    description: 'Of the time when the job is due, or finished; included.',
    schema: { type: 'string', format: 'date-time' },
  },
  to: { description: 'Likewise; included.', schema: { type: 'string', format: 'date-time' } },
  error_code: { description: 'Code of the last error. A page may hold fewer jobs than its limit.', schema: { type: 'string' } },
  user_id: { description: 'The owner label. A page may hold fewer jobs than its limit.', schema: { type: 'string' } },
  tag: { description: 'One of its tags. A page may hold fewer jobs than its limit.', schema: { type: 'string' } },
  cursor: {
    description: 'The next_cursor of the page before; all else but the limit stays as it was.',
    schema: { type: 'string' },
  },
  limit: {
    description:
      'At most so many, 50 when it is left out. A page of large jobs ends sooner, with the one that brings it to 4 MiB.',
    schema: { type: 'integer', minimum: 1, maximum: 200 },
  },
} as const;

const DEFAULT_LIMIT = 50;
const MOST = 200;
const CODE = { min: 1, max: 255 };

/** @throws {ProblemError} `invalid_request`, with every fault there is. */
export function parseListQuery(given: Given): ListQuery {
  const faults: Fault[] = [];
  const read = <T>(name: keyof typeof LIST_PARAMETERS, parse: (text: string) => T | undefined, wanted: string): T | undefined => {
    const text = given[name];
    const value = text === undefined ? undefined : parse(text);
    if (text !== undefined && value === undefined) faults.push({ parameter: name, detail: `${name} must be ${wanted}` });
    return value;
  };
  const statuses = `one of ${INDEXED_STATUSES.join(', ')}: jobs are listed by status, and those that queue or run are in no order of time`;
  const status = read('status', toStatus, statuses);
  if (given['status'] === undefined) faults.push({ parameter: 'status', detail: `status is needed, ${statuses}` });
  const time = 'a time as RFC 3339 writes it, with its offset, such as 2030-01-31T08:00:00Z';
  const text = (range: { readonly min: number; readonly max: number }) => (value: string) =>
    isText(value, range) ? value : undefined;
  const filter = {
    type: read('type', (value) => (isJobType(value) ? value : undefined), JOB_TYPE_FORM.wanted),
    from: read('from', parseRfc3339, time),
    to: read('to', parseRfc3339, time),
    errorCode: read('error_code', text(CODE), 'the code of an error'),
    userId: read('user_id', text(TEXT_BOUNDS.userId), `a text of at most ${TEXT_BOUNDS.userId.max} characters`),
    tag: read('tag', text(TEXT_BOUNDS.tag), `a text of at most ${TEXT_BOUNDS.tag.max} characters`),
  };
  const limit = read('limit', toLimit, `a whole number from 1 to ${MOST}`) ?? DEFAULT_LIMIT;
  if (status === undefined || faults.length > 0) {
    throw new ProblemError('invalid_request', faults.map(({ detail }) => detail).join('; '), { errors: faults });
  }
  return { filter: { status, ...filter }, limit, cursor: given['cursor'] };
}

function toStatus(text: string): IndexedStatus | undefined {
  return INDEXED_STATUSES.find((status) => status === text);
}

function toLimit(text: string): number | undefined {
  return /^\d{1,3}$/.test(text) && Number(text) >= 1 && Number(text) <= MOST ? Number(text) : undefined;
}
