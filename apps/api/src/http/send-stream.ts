import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { isNativeError } from 'node:util/types';
import type { Response } from 'express';
import { RequestAbortedError } from './json-body/request-bytes.js';

/**
 * Sends a stream as the body of an answer whose head is set. When the stream fails the connection is broken off, so that nobody takes what
 * came for the whole; when the client goes away the stream is destroyed.
 * @throws {RequestAbortedError} when the client went away; else what the stream threw.
 */
export async function sendStream(body: Readable, response: Response): Promise<void> {
  if (response.closed) {
    body.destroy();
    throw new RequestAbortedError({ cause: undefined });
  }
  // An error comes too late for an answer of its own from here on.
  response.flushHeaders();
  await pipeline(body, response).catch((cause: unknown) => {
    throw isPrematureClose(cause) ? new RequestAbortedError({ cause }) : cause;
  });
}

function isPrematureClose(error: unknown): boolean {
  return isNativeError(error) && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE';
}
