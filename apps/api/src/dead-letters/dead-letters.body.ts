import { TEXT_BOUNDS, isJobType } from '@antrean/jobs';
import { DeadLettersPayload } from '@antrean/catalog';
import { checkBody, invalidFields } from '../http/body-faults.js';
import { IfGiven, IsNumberWithin, IsText, Rule } from '../http/body-rules.js';
import { parseRfc3339 } from '../http/rfc3339.js';
import { JOB_TYPE_FORM } from '../jobs/job-type-form.js';

const DEFAULT_PER_SECOND = 500;

const IsTime = (description: string) =>
  Rule(
    'must be a time as RFC 3339 writes it, with its offset, such as 2030-01-31T08:00:00Z',
    (value) => typeof value === 'string' && parseRfc3339(value) !== undefined,
    { type: 'string', format: 'date-time', description },
  );

const FILTERS = ['type', 'error_code', 'user_id', 'tag', 'from', 'to'] as const;
const NAMES = FILTERS.join(', ');
const NOTHING_NAMED = `which dead letters are meant is not said: narrow them by one of ${NAMES}, or send "all": true`;
const CONTRADICTION = `must be left out beside one of ${NAMES}, which narrow what is meant`;

/** Which dead letters are meant; what is left out narrows nothing. */
export class DeadLettersBody {
  @IfGiven()
  @Rule(`must be ${JOB_TYPE_FORM.wanted}`, (value) => typeof value === 'string' && isJobType(value), {
    ...JOB_TYPE_FORM.schema,
    description: 'Of this job type only. Without it, of all but those that are internal.',
  })
  readonly type?: string;

  @IfGiven()
  @IsText({ min: 1, max: 255 }, { description: 'Code of the last error.' })
  readonly error_code?: string;

  @IfGiven()
  @IsText(TEXT_BOUNDS.userId, { description: 'The owner label.' })
  readonly user_id?: string;

  @IfGiven()
  @IsText(TEXT_BOUNDS.tag, { description: 'One of the tags.' })
  readonly tag?: string;

  @IfGiven()
  @IsTime('Of the time when the job failed; included.')
  readonly from?: string;

  @IfGiven()
  @IsTime('Likewise. Without it, those that fail after the start of the walk are not touched.')
  readonly to?: string;

  @IfGiven()
  @Rule('must be true, or left out', (value) => value === true, {
    type: 'boolean',
    const: true,
    description: 'All of them are meant. Needed where no field above narrows them, and refused beside one.',
  })
  readonly all?: boolean;

  @IfGiven()
  @Rule('must be true or false', (value) => typeof value === 'boolean', {
    type: 'boolean',
    description: 'Only counts them: the result of the job is what would be seen and matched.',
  })
  readonly dry_run?: boolean;

  @IfGiven()
  @IsNumberWithin({ min: 1, max: 10_000 }, { description: `How many a second, at most. Default ${DEFAULT_PER_SECOND}.` })
  readonly per_second?: number;
}

/** @throws {ProblemError} `invalid_request`, with every fault there is. */
export function parseDeadLetters(object: object): DeadLettersPayload {
  const { body, faults } = checkBody(DeadLettersBody, object, []);
  if (faults.length > 0) throw invalidFields(faults);
  const { all = false, from, to, per_second = DEFAULT_PER_SECOND, ...rest } = body;
  // A body that was forgotten must not mean all.
  const isNarrowed = FILTERS.some((name) => body[name] !== undefined);
  if (isNarrowed === all) throw invalidFields([{ pointer: '#/all', detail: isNarrowed ? CONTRADICTION : NOTHING_NAMED }]);
  const times = { ...(from !== undefined && { from: inUtc(from) }), ...(to !== undefined && { to: inUtc(to) }) };
  return Object.assign(new DeadLettersPayload(), rest, times, { per_second });
}

/** However a client writes a time, its job reads it in one form. */
function inUtc(time: string): string {
  return parseRfc3339(time)?.toISOString() ?? time;
}
