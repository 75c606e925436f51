import { BadRequestException, NotFoundException } from '@nestjs/common';
import {
  DuplicateJobError,
  InvalidOptionsError,
  InvalidPayloadError,
  PayloadTooLargeError,
  QueueUnavailableError,
  UnknownJobTypeError,
} from '@antrean/jobs';
import { StorageFullError } from '@antrean/platform';
import { DatabaseAwayError, UnfitDatabaseError } from '@antrean/shop';
import { asProblem } from './as-problem.js';
import { Links } from './links.js';
import { problemBody } from './problem-answer.js';
import { ProblemError } from './problem-error.js';

const ID = 'email.send_01JDVZ8XQ4T4Y8Q7M5K3N2P1R0';

function answerTo(error: unknown) {
  const problem = asProblem(error, new Links('https://example.com/queue'));
  return { headers: problem.headers, body: problemBody(problem, '/jobs') };
}

describe('the problem of an error', () => {
  it('is complete: RFC 9457 members, the stable code, and every fault', () => {
    const error = new InvalidPayloadError('email.send', [{ pointer: '/payload/to', detail: 'to must be one e-mail address' }]);
    expect(answerTo(error).body).toEqual({
      type: 'urn:antrean:problem:invalid_payload',
      title: 'The payload does not fit its job type',
      status: 400,
      detail: error.message,
      instance: '/jobs',
      code: 'invalid_payload',
      error: error.message,
      errors: [{ pointer: '#/payload/to', detail: 'to must be one e-mail address' }],
    });
  });

  it('is 400 for options, with their places', () => {
    const { body } = answerTo(new InvalidOptionsError([{ pointer: '/options/run_at', detail: 'must be within a year' }]));
    expect(body).toMatchObject({ status: 400, code: 'invalid_options', errors: [{ pointer: '#/options/run_at' }] });
  });

  it('is 400 for an unknown type, and lists the known ones', () => {
    const { body } = answerTo(new UnknownJobTypeError('mail', ['email.send', 'report.generate']));
    expect(body).toMatchObject({ status: 400, code: 'unknown_job_type', errors: [{ pointer: '#/type' }] });
    expect(body.detail).toContain('email.send, report.generate');
  });

  it('is 413 for a payload over the limit', () => {
    expect(answerTo(new PayloadTooLargeError(300_000, 262_144)).body).toMatchObject({ status: 413, code: 'payload_too_large' });
  });

  it('is 409 for a duplicate, and names the holder', () => {
    expect(answerTo(new DuplicateJobError(ID, 'processing', 'order-42')).body).toMatchObject({
      status: 409,
      code: 'duplicate_job',
      job_id: ID,
      job_status: 'processing',
      links: { self: `/queue/jobs/${ID}` },
    });
  });

  it.each([
    ['not_written', 'Nothing was written'],
    ['unknown', 'It is not known whether the job was accepted'],
  ] as const)('is 503 for a submit to a queue out of reach (%s), without a word of Redis', (outcome, advice) => {
    const cause = new Error('ECONNREFUSED redis.internal:6379 SET secret');
    const { headers, body } = answerTo(new QueueUnavailableError(outcome, ID, { cause }));
    expect(headers).toEqual({ 'Retry-After': '2' });
    expect(body).toMatchObject({ status: 503, code: 'queue_unavailable', outcome, job_id: ID });
    expect(body.detail).toContain(advice);
    expect(JSON.stringify(body)).not.toMatch(/redis|ECONN|secret/i);
  });

  it('is 503 for an act whose outcome nobody knows, and advises to look before it is repeated', () => {
    const { body } = answerTo(new QueueUnavailableError('unknown', undefined, { cause: new Error('away') }));
    expect(body).toMatchObject({ status: 503, code: 'queue_unavailable', outcome: 'unknown' });
    expect(body.detail).toContain('It is not known whether this was carried out');
    expect(body).not.toHaveProperty('job_id');
  });

  it('is 503 for a read of a queue out of reach, without the advice and the members of a submit', () => {
    const { headers, body } = answerTo(new QueueUnavailableError('not_written', undefined, { cause: new Error('away') }));
    expect(headers).toEqual({ 'Retry-After': '2' });
    expect(body).toMatchObject({
      status: 503,
      code: 'queue_unavailable',
      detail: 'The queue cannot be reached at the moment. Try again shortly.',
    });
    expect(body).not.toHaveProperty('outcome');
    expect(body).not.toHaveProperty('job_id');
  });

  it.each([
    ['storage_unavailable', new StorageFullError('/srv/secret has no room', new Error('ENOSPC'))],
    ['database_unavailable', new DatabaseAwayError(new Error('ECONNREFUSED secret'))],
    ['database_unavailable', new UnfitDatabaseError('Set another, secret DATABASE_URL.')],
  ])('is 503 %s when that is away, without a word of where it is', (code, error) => {
    const { headers, body } = answerTo(error);
    expect(headers).toEqual({ 'Retry-After': '2' });
    expect(body).toMatchObject({ status: 503, code });
    expect(JSON.stringify(body)).not.toContain('secret');
  });

  it('is that of the framework for what it refuses itself', () => {
    expect(answerTo(new BadRequestException('Failed to decode param')).body).toMatchObject({ status: 400, code: 'bad_request' });
    expect(answerTo(new NotFoundException('ENOENT /srv/app/x')).body).toMatchObject({
      code: 'not_found',
      detail: 'There is nothing at this path.',
    });
  });

  it.each([new Error('password=hunter2'), new TypeError('x is undefined'), 'text', undefined, null, { status: 418 }])(
    'is 500 for anything else, and says nothing about it',
    (thrown) => {
      const { body } = answerTo(thrown);
      expect(body).toMatchObject({ status: 500, code: 'internal_error', errors: [] });
      expect(JSON.stringify(body)).not.toMatch(/hunter2|undefined|text/);
    },
  );

  it('names at most 50 faults', () => {
    const errors = Array.from({ length: 80 }, (_, index) => ({ pointer: `#/${index}`, detail: 'is wrong' }));
    expect(answerTo(new ProblemError('invalid_request', 'Much is wrong.', { errors })).body.errors).toHaveLength(50);
  });
});
