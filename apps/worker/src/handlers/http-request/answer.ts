import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { keptBody, type KeptBody } from './kept-body.js';

/** What a receiver answered. */
export interface Answer extends KeptBody {
  readonly status: number;
  /** Those that say something of the answer and are no secrets, by name in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content_type: string | null;
  /** As it was sent. */
  readonly retryAfter: string | undefined;
}

/** Whatever the receiver sends, no more than this is held of it, and kept as the result, which is at most 64 KiB of JSON. */
const MOST_BYTES = 24_576;
const LONGEST_HEADER = 512;
/** Not those of sessions, of authentication and of the connection. */
const KEPT_HEADERS = [
  'content-encoding',
  'content-language',
  'content-length',
  'date',
  'etag',
  'last-modified',
  'location',
  'request-id',
  'retry-after',
  'x-request-id',
] as const;

/** Reads an answer as far as it is kept: the body only when the status is wanted, and of that no more than a bound. */
export async function readAnswer(message: IncomingMessage, isWanted: (status: number) => boolean): Promise<Answer> {
  const { statusCode: status = 0, headers } = message;
  const { bytes, isCut } = isWanted(status) ? await readUpTo(message, MOST_BYTES) : { bytes: Buffer.alloc(0), isCut: true };
  return {
    status,
    headers: keptHeaders(headers),
    content_type: headers['content-type']?.slice(0, LONGEST_HEADER) ?? null,
    ...keptBody(bytes, isCut, headers),
    retryAfter: headers['retry-after'],
  };
}

async function readUpTo(message: IncomingMessage, most: number): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  // Its chunks are buffers as long as nobody sets an encoding.
  for await (const chunk of message as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    // To leave the loop ends the stream.
    if (length > most) break;
  }
  return { bytes: Buffer.concat(chunks).subarray(0, most), isCut: length > most };
}

function keptHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  const found = KEPT_HEADERS.map((name) => [name, headers[name]] as const);
  return Object.fromEntries(
    found.flatMap(([name, value]) => (typeof value === 'string' ? [[name, value.slice(0, LONGEST_HEADER)] as const] : [])),
  );
}
