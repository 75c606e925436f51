import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Request } from 'express';
import { ProblemError } from './problem-error.js';

/** A route as Express keeps it. Its types leave `match` out. */
interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> } | undefined;
  match(path: string): boolean;
}

/** Express, with our answer for requests that no route takes: 405 when the path has routes for other methods, else 404. */
export class ApiAdapter extends ExpressAdapter {
  override setNotFoundHandler(): this {
    this.use((request: Request) => {
      throw unrouted(request, this.getInstance<Express>());
    });
    return this;
  }
}

function unrouted({ method, path }: Request, app: Express): ProblemError {
  const allow = methodsAt(path, app);
  if (allow.length === 0) return new ProblemError('not_found', `There is nothing at ${path}.`);
  const list = allow.join(', ');
  return new ProblemError('method_not_allowed', `${path} takes ${list}, not ${method}.`, { headers: { Allow: list } });
}

function methodsAt(path: string, app: Express): string[] {
  // Express fills the stack with layers of this shape.
  const layers = app.router.stack as unknown as readonly Layer[];
  const names = layers
    .filter(({ route }) => route !== undefined)
    .filter((layer) => layer.match(path))
    .flatMap(({ route }) => Object.keys(route?.methods ?? {}));
  // Express answers HEAD wherever there is a GET.
  const methods = new Set(names.flatMap((name) => (name === 'get' ? ['GET', 'HEAD'] : [name.toUpperCase()])));
  return [...methods].sort();
}
