import type { NextFunction, Request, Response } from 'express';
import helmet from 'helmet';

/** Answers are data: nothing in them may ever run, or be shown inside another page. */
const forData = helmet({
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
});

/** The documentation is a page: its own scripts, its inline styles, its images, and calls to this api. */
const forPages = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
});

/** @param pages the path under which pages are. */
export function securityHeaders(pages: string) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const isPage = request.path === pages || request.path.startsWith(`${pages}/`);
    (isPage ? forPages : forData)(request, response, next);
  };
}
