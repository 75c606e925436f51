import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';

/** What a client would rather have (RFC 7240). Preferences that are not known or malformed are ignored, never refused. */
export interface Preferences {
  /** Wait for the job's end so long; undefined: not at all. */
  readonly waitMs: number | undefined;
  readonly respondAsync: boolean;
}

const LONGEST_WAIT_SEC = 60;
const PREFERENCE = /^([!#$%&'*+.^_`|~0-9a-z-]+)(?: ?= ?(?:"((?:[^"\\]|\\.)*)"|([^\s";]*)))? ?(?:;.*)?$/i;

/** Hands a controller what the request's `Prefer` asks for. */
export const Prefers = createParamDecorator((_data: unknown, execution: ExecutionContext): Preferences =>
  parsePrefer(execution.switchToHttp().getRequest<Request>().headers['prefer']),
);

/** Of a preference that is given twice the first counts. */
export function parsePrefer(header: string | readonly string[] | undefined): Preferences {
  const given = new Map<string, string>();
  // White space counts for one blank: how much there is must not matter to the pattern.
  for (const item of split([header ?? []].flat().join(',').replace(/\s+/g, ' '))) {
    const [, name = '', quoted, bare = ''] = PREFERENCE.exec(item) ?? [];
    const key = name.toLowerCase();
    if (key !== '' && !given.has(key)) given.set(key, quoted ?? bare);
  }
  const wait = given.get('wait') ?? '';
  const waitSec = /^\d+$/.test(wait) ? Math.min(Number(wait), LONGEST_WAIT_SEC) : 0;
  return { waitMs: waitSec > 0 ? waitSec * 1_000 : undefined, respondAsync: given.get('respond-async') === '' };
}

/** At commas that stand in no quotes. */
function split(list: string): readonly string[] {
  return [...list.matchAll(/(?:[^,"]|"(?:[^"\\]|\\.)*"?)+/g)].map(([item]) => item.trim());
}

/** Tells the client which of its preferences were applied, and caches that they matter. */
export function tellPreferences(response: Response, { waitMs, respondAsync = false }: Partial<Preferences>): void {
  const applied = [...(respondAsync ? ['respond-async'] : []), ...(waitMs === undefined ? [] : [`wait=${waitMs / 1_000}`])];
  response.vary('Prefer');
  if (applied.length > 0) response.set('Preference-Applied', applied.join(', '));
}
