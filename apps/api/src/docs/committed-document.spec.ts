import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import Ajv from 'ajv/dist/2020.js';
import { SendEmail } from '@antrean/catalog';
import { PROBLEMS } from '../http/problem-codes.js';
import { committedDocument } from './committed-document.js';

interface Operation {
  readonly security?: readonly object[];
  readonly responses: Readonly<Record<string, { readonly headers?: object; readonly content?: object }>>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, object>>; readonly securitySchemes: object };
}

describe('openapi.json', () => {
  let text: string;
  let document: Document;

  beforeAll(async () => {
    text = await committedDocument();
    document = JSON.parse(text) as Document;
  });

  it('is what the code says: run `npm run openapi` when it is not', async () => {
    await expect(readFile('openapi.json', 'utf8')).resolves.toBe(text);
  });

  it('is valid OpenAPI 3.1', async () => {
    const { valid, errors } = await new Validator().validate(text);
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined });
    expect(document.openapi).toMatch(/^3\.1\./);
  });

  it('has no left-over of older dialects', () => {
    expect(text).not.toMatch(/"nullable"|"exclusive(Minimum|Maximum)": (true|false)/);
  });

  it('lists the routes, and nothing that is not built', () => {
    const routes = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.keys(item).map((method) => `${method} ${path}`),
    );
    expect(routes.sort()).toEqual([
      'delete /jobs/{id}',
      'get /exports/{id}',
      'get /health',
      'get /health/live',
      'get /health/ready',
      'get /imports/{id}',
      'get /imports/{id}/rejects',
      'get /jobs',
      'get /jobs/{id}',
      'get /jobs/{id}/logs',
      'get /metrics',
      'get /orders/{id}',
      'get /orders/{id}/invoice',
      'get /reports/{id}',
      'get /types',
      'post /dead-letters/delete',
      'post /dead-letters/replay',
      'post /exports',
      'post /imports',
      'post /jobs',
      'post /jobs/email',
      'post /jobs/{id}/cancel',
      'post /jobs/{id}/replay',
      'post /orders',
      'post /orders/{id}/invoice',
      'post /reports',
    ]);
  });

  it('asks for a key everywhere but where everybody may look', () => {
    const open = Object.entries(document.paths).filter(([, item]) =>
      Object.values(item).some(({ security }) => security === undefined),
    );
    expect(open.map(([path]) => path)).toEqual(['/health/live', '/health/ready']);
  });

  it('resolves every reference', () => {
    const refs = [...text.matchAll(/"\$ref": "#\/components\/schemas\/([^"]+)"/g)].map(([, name = '']) => name);
    expect(refs.filter((name) => !(name in document.components.schemas))).toEqual([]);
  });

  it('says of every answer that it carries the request id, and of every problem how it looks', () => {
    for (const operation of Object.values(document.paths).flatMap((item) => Object.values(item))) {
      for (const [status, { headers, content }] of Object.entries(operation.responses)) {
        expect(headers).toHaveProperty('X-Request-Id');
        if (Number(status) >= 400 && !(content !== undefined && 'application/json' in content)) {
          expect(content).toHaveProperty(['application/problem+json']);
        }
      }
    }
  });

  it('says how submits are answered', () => {
    const { responses, security } = document.paths['/jobs']?.['post'] ?? { responses: {} };
    expect(security).toEqual([{ api_key: ['submit'] }]);
    expect(responses['202']?.headers).toHaveProperty('Location');
    expect(responses['503']?.headers).toHaveProperty('Retry-After');
    expect(Object.keys(responses)).toEqual(['200', '202', '400', '401', '403', '406', '409', '413', '415', '422', '500', '503']);
  });

  it('says what a client may send, down to the payload of each type', () => {
    const ajv = new Ajv.default({ strict: false, validateFormats: false, discriminator: false });
    ajv.addSchema(document, 'openapi.json');
    const fits = ajv.compile({ $ref: 'openapi.json#/components/schemas/SubmitJob' });
    const payload = { to: 'budi@example.com', template: 'welcome' };
    const options = { priority: 7, backoff: { type: 'fixed', base_sec: 5 }, tags: ['a'], metadata: { a: 'b' } };
    expect(fits({ type: SendEmail.type, payload, options })).toBe(true);
    expect(fits({ type: 'unknown.type', payload })).toBe(false);
    expect(fits({ type: SendEmail.type })).toBe(false);
    expect(fits({ type: SendEmail.type, payload: { ...payload, cc: 'x' } })).toBe(false);
    expect(fits({ type: SendEmail.type, payload, options: { priority: 10 } })).toBe(false);
    expect(fits({ type: SendEmail.type, payload, options: { backoff: { type: 'fixed' } } })).toBe(false);
    expect(fits({ type: SendEmail.type, payload, options: { retries: 3 } })).toBe(false);
  });

  it('has examples of submits that fit', () => {
    const ajv = new Ajv.default({ strict: false, validateFormats: false, discriminator: false });
    ajv.addSchema(document, 'openapi.json');
    for (const [path, item] of Object.entries(document.paths)) {
      const body = (item['post'] as { requestBody?: RequestBody } | undefined)?.requestBody?.content['application/json'];
      if (body === undefined) continue;
      const fits = ajv.compile({ $ref: `openapi.json${body.schema.$ref}` });
      for (const { value } of Object.values(body.examples))
        expect({ path, value, fits: fits(value) }).toEqual({ path, value, fits: true });
    }
  });

  it('knows every problem code', () => {
    const codes = (document.components.schemas['Problem'] as { properties: { code: { enum: string[] } } }).properties.code.enum;
    expect(codes).toEqual(Object.keys(PROBLEMS));
  });
});

interface RequestBody {
  readonly content: Readonly<
    Record<
      string,
      { readonly schema: { readonly $ref: string }; readonly examples: Readonly<Record<string, { readonly value: unknown }>> }
    >
  >;
}
