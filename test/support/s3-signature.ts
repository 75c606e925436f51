import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const ALGORITHM = 'AWS4-HMAC-SHA256';

/** What a request says of its signature: in a header, or in the address when that was signed. */
interface Claim {
  /** Key, day, region, service and an ending, joined by `/`. */
  readonly credential: string;
  readonly signedHeaders: string;
  readonly signature: string;
  readonly date: string;
  readonly payload: string;
}

/**
 * Whether a request was signed with the secret (AWS signature version 4, as its page says and not as any client does it), and is
 * what was signed. How long a signature is valid is not looked at.
 */
export function isSigned({ method = '', url = '', headers }: IncomingMessage, secret: string): boolean {
  const { pathname, searchParams } = new URL(url, 'http://s3');
  const claim = searchParams.has('X-Amz-Signature') ? claimInQuery(searchParams) : claimInHeader(headers);
  if (claim === undefined) return false;
  const { credential, signedHeaders, signature, date, payload } = claim;
  const lines = signedHeaders.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
  const request = [method, pathname, canonicalQuery(searchParams), lines.join(''), signedHeaders, payload].join('\n');
  const scope = credential.split('/').slice(1);
  const toSign = [ALGORITHM, date, scope.join('/'), createHash('sha256').update(request).digest('hex')].join('\n');
  const key = scope.reduce<string | Buffer>((before, part) => hmac(before, part), `AWS4${secret}`);
  return hmac(key, toSign).toString('hex') === signature;
}

function claimInQuery(query: URLSearchParams): Claim {
  const value = (name: string): string => query.get(`X-Amz-${name}`) ?? '';
  return {
    credential: value('Credential'),
    signedHeaders: value('SignedHeaders'),
    signature: value('Signature'),
    date: value('Date'),
    payload: 'UNSIGNED-PAYLOAD',
  };
}

function claimInHeader({ authorization = '', ...headers }: IncomingMessage['headers']): Claim | undefined {
  const parts = /^AWS4-HMAC-SHA256 Credential=([^,]+), SignedHeaders=([^,]+), Signature=(\w+)$/.exec(authorization);
  if (parts === null) return undefined;
  const [, credential = '', signedHeaders = '', signature = ''] = parts;
  const [date, payload] = [headers['x-amz-date'], headers['x-amz-content-sha256']].map(String);
  return { credential, signedHeaders, signature, date: date ?? '', payload: payload ?? '' };
}

function canonicalQuery(query: URLSearchParams): string {
  const pairs = [...query].filter(([name]) => name !== 'X-Amz-Signature').map((pair) => pair.map(encoded).join('='));
  return pairs.sort().join('&');
}

/** As RFC 3986 has it. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
