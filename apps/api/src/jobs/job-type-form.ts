import { JOB_TYPE_SHAPE, LONGEST_TYPE } from '@antrean/jobs';

/** What a type in a filter must be, as people are told and as the OpenAPI document says. */
export const JOB_TYPE_FORM = {
  wanted: `what a job type may be called: lower-case letters, digits, "." and "-", at most ${LONGEST_TYPE}, a letter first`,
  schema: { type: 'string', pattern: JOB_TYPE_SHAPE.source },
} as const;
