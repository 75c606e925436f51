import { applyDecorators, type Type } from '@nestjs/common';
import { ApiExtraModels, ApiResponse, getSchemaPath } from '@nestjs/swagger';
import { PROBLEM_MEDIA_TYPE, problemBody } from '../http/problem-answer.js';
import { PROBLEMS, type ProblemCode } from '../http/problem-codes.js';
import { ProblemError } from '../http/problem-error.js';
import { JobProblem, KeyReusedProblem, Problem, UnavailableProblem } from './problem.view.js';

const TEXT = { type: 'string' } as const;
const ETAG = { ETag: { description: 'Send it as If-None-Match to learn whether anything changed.', schema: TEXT } };
const APPLIED = { 'Preference-Applied': { description: 'Which of the preferences were applied.', schema: TEXT } };
const REPLAYED = { 'Idempotent-Replayed': { description: 'true when this answer was given before.', schema: TEXT } };
const LOCATION = { Location: { description: 'Absolute path of what was made.', schema: TEXT } };

/** A successful answer of a route. */
export function AnswersWith(
  status: number,
  View: Type,
  description: string,
  sent: { readonly etag?: boolean; readonly location?: boolean; readonly prefer?: boolean; readonly idempotent?: boolean } = {},
) {
  const { etag = false, location = false, prefer = false, idempotent = false } = sent;
  return applyDecorators(
    ApiExtraModels(View),
    ApiResponse({
      status,
      description,
      headers: { ...(etag && ETAG), ...(location && LOCATION), ...(prefer && APPLIED), ...(idempotent && REPLAYED) },
      content: { 'application/json': { schema: { $ref: getSchemaPath(View) } } },
    }),
    ...(etag ? [ApiResponse({ status: 304, description: 'Nothing changed since the If-None-Match.', headers: ETAG })] : []),
  );
}

/** A successful answer without a body. */
export const AnswersWithNothing = (status: number, description: string) => ApiResponse({ status, description });

interface Special {
  readonly View?: Type;
  readonly headers?: readonly string[];
  /** Members beyond those of every problem, for the example. */
  readonly members?: Readonly<Record<string, unknown>>;
}

const JOB_ID = 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0';

const UNAVAILABLE: Special = {
  View: UnavailableProblem,
  headers: ['Retry-After'],
  members: { outcome: 'unknown', job_id: JOB_ID },
};

const SPECIAL: Readonly<Partial<Record<ProblemCode, Special>>> = {
  unauthorized: { headers: ['WWW-Authenticate'] },
  illegal_transition: {
    View: JobProblem,
    members: { job_id: JOB_ID, job_status: 'processing', links: { self: `/jobs/${JOB_ID}` } },
  },
  duplicate_job: {
    View: JobProblem,
    members: { job_id: JOB_ID, job_status: 'queued', links: { self: `/jobs/${JOB_ID}` } },
  },
  file_not_made: {
    View: JobProblem,
    members: { job_id: JOB_ID, job_status: 'failed', links: { self: `/jobs/${JOB_ID}` } },
  },
  file_gone: { View: JobProblem, members: { job_id: JOB_ID, job_status: null, links: { self: `/jobs/${JOB_ID}` } } },
  range_not_satisfiable: { headers: ['Content-Range'] },
  idempotency_key_reused: {
    View: KeyReusedProblem,
    members: { job_id: JOB_ID, links: { self: `/jobs/${JOB_ID}` } },
  },
  queue_unavailable: UNAVAILABLE,
  not_replicated: UNAVAILABLE,
  events_full: { View: UnavailableProblem, headers: ['Retry-After'], members: { outcome: 'not_written' } },
  storage_unavailable: { headers: ['Retry-After'] },
  database_unavailable: { headers: ['Retry-After'] },
  not_ready: { headers: ['Retry-After'] },
};

/** The problems a route may answer with; `internal_error` goes without saying. */
export function Problems(...codes: readonly ProblemCode[]) {
  const all: readonly ProblemCode[] = [...codes, 'internal_error'];
  const statuses = new Set(all.map((code) => PROBLEMS[code].status));
  return applyDecorators(
    ApiExtraModels(Problem, JobProblem, KeyReusedProblem, UnavailableProblem),
    ...[...statuses].map((status) =>
      problemResponse(
        status,
        all.filter((code) => PROBLEMS[code].status === status),
      ),
    ),
  );
}

function problemResponse(status: number, codes: readonly ProblemCode[]) {
  const specials = codes.flatMap((code) => SPECIAL[code] ?? []);
  const View = specials.find((special) => special.View)?.View ?? Problem;
  const headers = specials.flatMap((special) => special.headers ?? []).map((name) => [name, { schema: TEXT }] as const);
  return ApiResponse({
    status,
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}.`).join('\n\n'),
    headers: Object.fromEntries(headers),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: { $ref: getSchemaPath(View) },
        examples: Object.fromEntries(codes.map((code) => [code, { value: exampleOf(code) }])),
      },
    },
  });
}

function exampleOf(code: ProblemCode): object {
  const members = SPECIAL[code]?.members ?? {};
  return problemBody(new ProblemError(code, `${PROBLEMS[code].title}.`, { members }), '/jobs');
}
