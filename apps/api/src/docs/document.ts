import type { INestApplication } from '@nestjs/common';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { catalog } from '@antrean/catalog';
import { API_KEY_SCHEME } from '../auth/access.decorator.js';
import { jobSchemas } from './job-schemas.js';
import { modern } from './schema/class-schema.js';

const DESCRIPTION = `Background jobs: submit them, follow them.

Every answer carries \`X-Request-Id\`, the one you sent when it was safe to repeat. Errors are \`application/problem+json\`;
decide by their \`code\`. Only a 4xx promises that nothing was written. Without \`API_KEYS\` the api needs no key and
listens on loopback only.`;

const REQUEST_ID = { $ref: '#/components/headers/XRequestId' };

/**
 * The OpenAPI 3.1 document of the api, from its code.
 * @param server where the api is; `/` is where the document came from.
 */
export function openApiDocument(app: INestApplication, server = '/'): OpenAPIObject {
  const settings = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Antrean')
    .setVersion('0.1.0')
    .setDescription(DESCRIPTION)
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .addServer(server)
    .addTag('jobs', 'Submit jobs, read them, interfere with them')
    .addTag('documents', 'Have reports and exports made, and read them')
    .addTag('orders', 'Place orders, read them and their jobs')
    .addTag('imports', 'Import customers from a file')
    .addTag('dead letters', 'Replay or delete many failed jobs')
    .addTag('types', 'What can be submitted')
    .addTag('operate', 'Health')
    .addSecurity(API_KEY_SCHEME, { type: 'http', scheme: 'bearer', description: 'A key of `API_KEYS`, with the scopes named.' })
    .build();
  const document = SwaggerModule.createDocument(app, settings, { autoTagControllers: false });
  const components = {
    ...document.components,
    schemas: { ...document.components?.schemas, ...jobSchemas(catalog) },
    headers: {
      XRequestId: { description: 'The id of the request, also in the log and on the job.', schema: { type: 'string' } },
    },
  };
  // What is put together here is a document again.
  return modern({ ...document, paths: withRequestIds(document.paths), components }) as OpenAPIObject;
}

function withRequestIds(paths: OpenAPIObject['paths']): OpenAPIObject['paths'] {
  for (const item of Object.values(paths)) {
    for (const operation of [item.get, item.post, item.delete]) {
      for (const response of Object.values(operation?.responses ?? {})) {
        if (response !== undefined && 'description' in response)
          response.headers = { ...response.headers, 'X-Request-Id': REQUEST_ID };
      }
    }
  }
  return paths;
}
