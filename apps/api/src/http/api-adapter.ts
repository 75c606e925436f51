import { ExpressAdapter } from '@nestjs/platform-express';
import { isUlid, parseJobId } from '@antrean/jobs';
import type { Express, Request } from 'express';
import { createHardenedServer, type ClientLimits } from './hardened-server.js';
import { nothingAt } from './nothing-at.js';
import { ProblemError } from './problem-error.js';

/** Express, on our server and with our answer for requests that no route takes: 405 when the path has routes for other methods, else 404. */
export class ApiAdapter extends ExpressAdapter {
  constructor(private readonly limits: Partial<ClientLimits> = {}) {
    super();
  }

  override initHttpServer(): void {
    this.httpServer = createHardenedServer(this.getInstance<Express>(), this.limits);
  }

  override setNotFoundHandler(): this {
    this.use((request: Request) => {
      throw unrouted(request, this.getInstance<Express>());
    });
    return this;
  }
}

function unrouted({ method, path }: Request, app: Express): ProblemError {
  const allow = methodsAt(path, app);
  if (allow.length === 0) return nothingAt(path);
  const list = allow.join(', ');
  return new ProblemError('method_not_allowed', `${path} takes ${list}, not ${method}.`, { headers: { Allow: list } });
}

function methodsAt(path: string, app: Express): string[] {
  const routes = app.router.stack.flatMap(({ route }) => (route !== undefined && isAt(path, route.path) ? route : []));
  const names = routes.flatMap(({ stack }) => stack.map(({ method }) => method));
  // Express answers HEAD wherever there is a GET.
  const methods = new Set(names.flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()])));
  return [...methods].sort();
}

/** As Express matches: whatever the case, with or without a slash at the end. */
function isAt(path: string, pattern: string): boolean {
  const [asked, wanted] = [segments(path), segments(pattern)];
  return asked.length === wanted.length && wanted.every((segment, index) => fits(asked[index] ?? '', segment));
}

function segments(path: string): readonly string[] {
  return path.replace(/\/$/, '').split('/').slice(1);
}

/** Nothing is under what is the id of no job and of no order: `/jobs/bulk` is not a job that takes GET only. */
function fits(asked: string, wanted: string): boolean {
  return wanted === ':id' ? parseJobId(asked) !== undefined || isUlid(asked) : asked.toLowerCase() === wanted.toLowerCase();
}
