import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { answerBrokenRequest } from './broken-request.js';

async function answerTo(code: string | undefined): Promise<string> {
  const socket = new PassThrough();
  answerBrokenRequest(Object.assign(new Error('as Node says it'), code === undefined ? {} : { code }), socket);
  return text(socket);
}

describe('the answer to a broken request', () => {
  it.each([
    ['HPE_HEADER_OVERFLOW', 431, 'headers_too_large'],
    ['ERR_HTTP_REQUEST_TIMEOUT', 408, 'request_timeout'],
    ['HPE_INVALID_METHOD', 400, 'bad_request'],
    [undefined, 400, 'bad_request'],
  ])('is, for %s, a problem with status %i', async (code, status, problem) => {
    const answer = await answerTo(code);
    const [head = '', body = ''] = answer.split('\r\n\r\n');
    expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} [\\w /.]+\r\n`));
    expect(head).toMatch(/\r\nConnection: close(\r\n|$)/);
    expect(head).toContain(`\r\nContent-Length: ${Buffer.byteLength(body)}`);
    expect(JSON.parse(body)).toMatchObject({ status, code: problem, instance: null });
    expect(answer).not.toContain('as Node says it');
  });

  it('is none when the client is gone', async () => {
    expect(await answerTo('ECONNRESET').catch(() => '')).toBe('');
  });
});
