import type { Request } from 'express';

/** The path that the client asked for, without the query and a slash at its end. Express' own is cut by whoever mounts a middleware. */
export function requestPath({ originalUrl }: Request): string {
  const [path = ''] = originalUrl.split('?');
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}
