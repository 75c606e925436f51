import { PermanentError, RetryAfterError } from '@antrean/jobs';
import { HttpAnswerError, refusal } from './refusal.js';

describe('an answer that is no success', () => {
  it.each([408, 425, 429, 500, 501, 502, 503, 504, 599])('leads to another attempt when it is %d', (status) => {
    const error = refusal(status, undefined);
    expect(error).toBeInstanceOf(HttpAnswerError);
    expect(error).toMatchObject({ code: `http_${status}`, status });
  });

  it.each([0, 99, 600, 999])('leads to another attempt when it is %d, which is no status and stands for a 5xx', (status) => {
    expect(refusal(status, undefined)).toMatchObject({
      name: 'HttpAnswerError',
      code: `http_${status}`,
      message: `The receiver answered ${status}, which is no status of HTTP.`,
    });
    expect(refusal(status, '60')).toBeInstanceOf(RetryAfterError);
  });

  it.each([
    [101, 'The receiver answered 101 Switching Protocols, which is not among the statuses that the job counts as success.'],
    [202, 'The receiver answered 202 Accepted, which is not among the statuses that the job counts as success.'],
    [301, 'The receiver answered 301 Moved Permanently; redirects are not followed: submit the job with the URL it is to call.'],
    [304, 'The receiver answered 304 Not Modified, which is not among the statuses that the job counts as success.'],
    [400, 'The receiver answered 400 Bad Request, which another attempt would not change.'],
    [404, 'The receiver answered 404 Not Found, which another attempt would not change.'],
    [410, 'The receiver answered 410 Gone: it is not to be called any more.'],
    [499, 'The receiver answered 499, which another attempt would not change.'],
  ])('ends the job for good when it is %d, with what was answered', (status, message) => {
    const error = refusal(status, '60');
    expect(error).toBeInstanceOf(PermanentError);
    expect(error).toMatchObject({ code: `http_${status}`, message });
  });

  it.each([
    [429, '120', 120_000],
    [503, '3600', 3_600_000],
    [408, '60', 60_000],
    [500, '99999999', 86_400_000],
  ])('of %d with Retry-After %s leads to one after that time, a day at most, and up to a tenth later', (status, header, ms) => {
    const error = refusal(status, header);
    expect(error).toBeInstanceOf(RetryAfterError);
    expect(error).toMatchObject({ code: `http_${status}` });
    const { delayMs } = error as RetryAfterError;
    expect(delayMs).toBeGreaterThanOrEqual(ms);
    expect(delayMs).toBeLessThanOrEqual(ms * 1.1);
  });

  it('is put off until the date that Retry-After names', () => {
    const error = refusal(503, new Date(Date.now() + 600_000).toUTCString());
    expect(error).toBeInstanceOf(RetryAfterError);
    const { delayMs } = error as RetryAfterError;
    expect(delayMs).toBeGreaterThan(598_000);
    expect(delayMs).toBeLessThanOrEqual(660_000);
  });

  it.each(['0', 'soon', '-1', 'Thu, 01 Jan 1970 00:00:00 GMT'])(
    'goes by the back-off of its job with Retry-After %s',
    (header) => {
      expect(refusal(503, header)).toBeInstanceOf(HttpAnswerError);
    },
  );
});
