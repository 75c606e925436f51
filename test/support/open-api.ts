import { readFileSync } from 'node:fs';
import Ajv, { type ErrorObject } from 'ajv/dist/2020.js';

const document = JSON.parse(readFileSync('openapi.json', 'utf8')) as object;
const ajv = new Ajv.default({ strict: false, validateFormats: false });
ajv.addSchema(document, 'openapi.json');

/** What an answer's body has that its component schema in openapi.json does not allow. */
export function schemaFaults(component: string, body: unknown): readonly ErrorObject[] {
  const fits = ajv.compile({ $ref: `openapi.json#/components/schemas/${component}`, unevaluatedProperties: false });
  return fits(body) ? [] : (fits.errors ?? []);
}
