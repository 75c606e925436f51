import { applyDecorators, Delete, HttpCode, Post, UseInterceptors } from '@nestjs/common';
import { ApiBody, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { NeedsScope } from '../auth/access.decorator.js';
import { AnswersWith, AnswersWithNothing, Problems } from '../docs/answers.decorator.js';
import { OptionalJsonBodyInterceptor } from '../http/json-body/optional-json-body.interceptor.js';
import { ChangedJobView } from './changed-job.view.js';

const ActsOnJob = () =>
  applyDecorators(
    NeedsScope('manage'),
    UseInterceptors(OptionalJsonBodyInterceptor),
    ApiTags('jobs'),
    ApiParam({ name: 'id', schema: { type: 'string' }, example: 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0' }),
  );

const REFUSALS = [
  'invalid_json',
  'invalid_request',
  'unauthorized',
  'forbidden',
  'job_not_found',
  'not_acceptable',
  'illegal_transition',
  'payload_too_large',
  'unsupported_media_type',
  'queue_unavailable',
] as const;

/** A waiting job is cancelled at once (200), a running one is asked to stop (202). */
export const CancelsJob = () =>
  applyDecorators(
    Post(':id/cancel'),
    HttpCode(200),
    ActsOnJob(),
    ApiOperation({
      operationId: 'cancelJob',
      summary: 'Cancel a job',
      description:
        'A waiting job ends at once. The handler of a running one is told to stop within a second: success counts all the same, ' +
        'any other end of it is cancelled.',
    }),
    AnswersWith(200, ChangedJobView, 'The job is cancelled.'),
    AnswersWith(202, ChangedJobView, 'The job runs and was asked to stop.'),
    Problems(...REFUSALS),
  );

export const ReplaysJob = () =>
  applyDecorators(
    Post(':id/replay'),
    HttpCode(202),
    ActsOnJob(),
    ApiOperation({
      operationId: 'replayJob',
      summary: 'Let a finished job run again',
      description:
        'It queues at the back of its line, with its counters reset and its history kept. It goes on from its checkpoint unless it ' +
        'had succeeded or its payload changes.',
    }),
    ApiBody({
      required: false,
      schema: { $ref: '#/components/schemas/ReplayJobBody' },
      examples: {
        asItWas: { value: {} },
        edited: { value: { payload: { to: 'budi@example.com', template: 'welcome' } } },
      },
    }),
    AnswersWith(202, ChangedJobView, 'The job queues again.', { location: true }),
    Problems('invalid_payload', 'unknown_job_type', 'duplicate_job', ...REFUSALS),
  );

export const DeletesJob = () =>
  applyDecorators(
    Delete(':id'),
    HttpCode(204),
    ActsOnJob(),
    ApiOperation({
      operationId: 'deleteJob',
      summary: 'Delete a finished job',
      description: 'With its result, its log and its history. Its dedupe key is free then.',
    }),
    AnswersWithNothing(204, 'The job is no more.'),
    Problems(...REFUSALS),
  );
