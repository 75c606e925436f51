import { createHash } from 'node:crypto';
import type { Request } from 'express';
import { ProblemError } from './problem-error.js';
import { contextOf } from './request-context.js';

/** Sent with an answer that was given before. */
export const IDEMPOTENT_REPLAYED = { 'Idempotent-Replayed': 'true' } as const;

/** 1 to 255 printable ASCII characters. */
const KEY = /^[ -~]{1,255}$/;
/** A string of RFC 9651 (structured fields). */
const QUOTED = /^"((?:[ !#-[\]-~]|\\["\\])*)"$/;

/**
 * The once key that stands for a request's header `Idempotency-Key`, and belongs to the principal and the path it came to;
 * undefined without the header.
 * @throws {ProblemError} `invalid_request`
 */
export function onceKeyOf(request: Request): string | undefined {
  const sent = request.headersDistinct['idempotency-key'];
  if (sent === undefined) return undefined;
  const { keyName = '' } = contextOf(request);
  const scope = [keyName, request.path.toLowerCase().replace(/\/$/, ''), parseIdempotencyKey(sent)];
  return `http:${createHash('sha256').update(JSON.stringify(scope)).digest('base64url')}`;
}

/**
 * A key as its client means it, sent quoted or bare.
 * @param sent the header's values, one each time it was sent.
 * @throws {ProblemError} `invalid_request`
 */
export function parseIdempotencyKey(sent: readonly string[]): string {
  const text = sent.length === 1 ? (sent[0] ?? '').trim() : '';
  const [, quoted] = QUOTED.exec(text) ?? [];
  const key = quoted?.replace(/\\(.)/g, '$1') ?? text;
  if (KEY.test(key) && (quoted !== undefined || !text.startsWith('"'))) return key;
  const detail = 'must be one key of 1 to 255 printable ASCII characters, bare or in double quotes';
  throw new ProblemError('invalid_request', `Idempotency-Key ${detail}.`, { errors: [{ header: 'Idempotency-Key', detail }] });
}
