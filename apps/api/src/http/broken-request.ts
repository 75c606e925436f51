import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { PROBLEM_MEDIA_TYPE, problemBody } from './problem-answer.js';
import { PROBLEMS } from './problem-codes.js';
import { ProblemError } from './problem-error.js';

/**
 * Answers what never became a request, because Node could not read it: listens to a server's `clientError`. The connection
 * is closed, as nobody knows where in it the next request would start.
 */
export function answerBrokenRequest(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const problem = KNOWN[error.code ?? ''] ?? UNKNOWN;
  const { status, title } = PROBLEMS[problem.code];
  const body = JSON.stringify(problemBody(problem, null));
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    `Content-Type: ${PROBLEM_MEDIA_TYPE}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    'Cache-Control: no-store',
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const KNOWN: Readonly<Record<string, ProblemError>> = {
  HPE_HEADER_OVERFLOW: new ProblemError('headers_too_large', 'The request header has more than 16 KiB.'),
  ERR_HTTP_REQUEST_TIMEOUT: new ProblemError('request_timeout', 'The request was not complete in time. Send it without pauses.'),
};
const UNKNOWN = new ProblemError('bad_request', 'The bytes received are not an HTTP/1.1 request.');
