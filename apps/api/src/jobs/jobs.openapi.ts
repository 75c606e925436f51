import { applyDecorators } from '@nestjs/common';
import { ApiBody, ApiHeader, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { AnswersWith, Problems } from '../docs/answers.decorator.js';
import type { ProblemCode } from '../http/problem-codes.js';
import { JobLogsView } from './job-logs.view.js';
import { JobView } from './job.view.js';
import { SubmittedJobView } from './submitted-job.view.js';

/** What the OpenAPI document says of the routes of jobs. */

const PREFER = (description: string) =>
  ApiHeader({ name: 'Prefer', required: false, description, schema: { type: 'string', examples: ['wait=10'] } });

/** @param more problems of the one route, beside those of every submit. */
export const DescribesSubmitAnswers = (...more: readonly ProblemCode[]) =>
  applyDecorators(
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      description:
        '1 to 255 printable ASCII characters, bare or quoted; it belongs to the API key, the path and the job type. For 24 hours a ' +
        'repeat gets the first answer, with `Idempotent-Replayed: true`, whatever became of the job since. A repeat has a body that is ' +
        'equal as JSON: white space, the order of fields and how a number is written (`1` or `1.0`) make no other.',
      schema: { type: 'string', examples: ['order-42'] },
    }),
    PREFER(
      '`wait=N`: the answer is the finished job if it ends within so many seconds, 60 at most, else 202 with its status by then; ' +
        'for keys with the scope `read`. ' +
        '`respond-async`.',
    ),
    AnswersWith(202, SubmittedJobView, 'Accepted: the job is kept.', { location: true, prefer: true, idempotent: true }),
    AnswersWith(200, JobView, 'To `Prefer: wait`: the job has ended. Read its `status`.', {
      location: true,
      prefer: true,
      idempotent: true,
    }),
    Problems(
      'invalid_json',
      'invalid_request',
      'invalid_payload',
      'invalid_options',
      'unknown_job_type',
      'not_available',
      'unauthorized',
      'forbidden',
      'not_acceptable',
      'duplicate_job',
      'idempotency_key_reused',
      'payload_too_large',
      'unsupported_media_type',
      'queue_unavailable',
      'not_replicated',
      'events_full',
      ...more,
    ),
  );

export const DescribesSubmit = () =>
  applyDecorators(
    ApiOperation({ operationId: 'submitJob', summary: 'Submit a job' }),
    ApiBody({
      required: true,
      schema: { $ref: '#/components/schemas/SubmitJob' },
      examples: {
        least: { value: { type: 'email.send', payload: { to: 'budi@example.com', template: 'welcome' } } },
        request: { value: { type: 'http.request', payload: { url: 'https://shop.example/payments', body: { order: 42 } } } },
        withOptions: {
          value: {
            type: 'email.send',
            payload: { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi' } },
            options: {
              delay_sec: 60,
              priority: 7,
              max_attempts: 3,
              backoff: { type: 'exponential', base_sec: 2, cap_sec: 300 },
              user_id: 'customer-42',
              tags: ['signup'],
            },
          },
        },
      },
    }),
    ApiTags('jobs'),
    DescribesSubmitAnswers(),
  );

export const DescribesSubmitEmail = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'submitEmail',
      summary: 'Submit a mail',
      description:
        'The body is the payload of `email.send`. Its `message_key` is the dedupe key: a second mail with it is refused with 409.',
    }),
    ApiBody({
      required: true,
      schema: { $ref: '#/components/schemas/email.send' },
      examples: {
        welcome: {
          value: { to: 'budi@example.com', template: 'welcome', variables: { name: 'Budi' }, message_key: 'welcome-budi' },
        },
      },
    }),
    ApiTags('jobs'),
    DescribesSubmitAnswers(),
  );

const ReadsOfJob = () =>
  applyDecorators(
    ApiTags('jobs'),
    ApiParam({ name: 'id', schema: { type: 'string' }, example: 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }),
    Problems('invalid_request', 'unauthorized', 'forbidden', 'job_not_found', 'not_acceptable', 'queue_unavailable'),
  );

export const DescribesJobById = () =>
  applyDecorators(
    ApiOperation({ operationId: 'getJob', summary: 'Read a job' }),
    PREFER('`wait=N`: the answer comes when the job has ended, or after so many seconds, 60 at most.'),
    AnswersWith(200, JobView, 'The job as it is now.', { etag: true, prefer: true }),
    ReadsOfJob(),
  );

export const DescribesJobLogs = () =>
  applyDecorators(
    ApiOperation({
      operationId: 'getJobLogs',
      summary: "Read a job's log",
      description: 'What its handlers wrote, in all runs.',
    }),
    AnswersWith(200, JobLogsView, 'The lines.'),
    ReadsOfJob(),
  );
