import type { IncomingMessage } from 'node:http';
import { ProblemError } from '../problem-error.js';

/**
 * The whole body of a request. What comes after too large a part is read and thrown away, so that the client gets the answer
 * instead of a broken connection.
 * @throws {ProblemError} `payload_too_large`
 * @throws {RequestAbortedError} when the client went away.
 */
export function requestBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const refuse = () => {
      chunks.length = 0;
      request.off('data', keep).resume();
      reject(tooLarge(maxBytes));
    };
    const keep = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) refuse();
      else chunks.push(chunk);
    };
    request.on('data', keep);
    if (Number(request.headers['content-length']) > maxBytes) refuse();
    request.once('end', () => {
      resolve(Buffer.concat(chunks));
    });
    request.once('error', (cause) => {
      reject(new RequestAbortedError({ cause }));
    });
  });
}

/** The client closed the connection before its request was complete. Nobody is left to answer. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError';

  constructor(options: { readonly cause: unknown }) {
    super('The client closed the connection before the request was complete.', options);
  }
}

function tooLarge(maxBytes: number): ProblemError {
  return new ProblemError(
    'payload_too_large',
    `The body has more than ${maxBytes} bytes. Put large data into storage and submit its key.`,
  );
}
