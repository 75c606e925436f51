import type { NestExpressApplication } from '@nestjs/platform-express';
import { SwaggerModule } from '@nestjs/swagger';
import { Links } from '../http/links.js';
import { openApiDocument } from './document.js';

/** Where the documentation is. */
export const DOCS_PATH = '/docs';

/** Serves the document under `/openapi.json` and Swagger UI under `/docs`, both open: they say nothing that the source does not. */
export function serveDocs(app: NestExpressApplication): void {
  SwaggerModule.setup(DOCS_PATH, app, () => openApiDocument(app, app.get(Links).root), {
    jsonDocumentUrl: '/openapi.json',
    raw: ['json'],
    customSiteTitle: 'Antrean API',
  });
}
