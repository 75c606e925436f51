import type { JobDefinition } from '@antrean/jobs';
import { DeadLettersBody } from '../dead-letters/dead-letters.body.js';
import { NamedImportBody } from '../imports/named-import.body.js';
import { ReplayJobBody } from '../jobs/replay-job.body.js';
import { OrderBody, OrderItemBody } from '../orders/order.body.js';
import { BackoffBody, JobOptionsBody, SubmitJobBody, WebhookBody } from '../jobs/submit-job.body.js';
import { classSchema, type JsonSchema } from './schema/class-schema.js';

const COMPONENTS = '#/components/schemas/';

/**
 * The component schemas of what clients send: `SubmitJob`, which by its `type` says what the payload must be; the payload of
 * each type under the type's name; and what they refer to.
 */
export function jobSchemas(definitions: readonly JobDefinition[]): Readonly<Record<string, JsonSchema>> {
  const schemas: Record<string, JsonSchema> = {};
  const add = (name: string, Class: abstract new () => object): void => {
    const { schema, nested } = classSchema(Class, COMPONENTS);
    Object.assign(schemas, nested, { [name]: schema });
  };
  add(BackoffBody.name, BackoffBody);
  add(WebhookBody.name, WebhookBody);
  add(JobOptionsBody.name, JobOptionsBody);
  add(ReplayJobBody.name, ReplayJobBody);
  add(DeadLettersBody.name, DeadLettersBody);
  add(NamedImportBody.name, NamedImportBody);
  add(OrderItemBody.name, OrderItemBody);
  add(OrderBody.name, OrderBody);
  const open = definitions.filter(({ internal }) => !internal);
  for (const { type, payload } of open) add(type, payload);
  return { ...schemas, ...submitSchemas(open) };
}

function submitSchemas(definitions: readonly JobDefinition[]): Readonly<Record<string, JsonSchema>> {
  const { schema } = classSchema(SubmitJobBody, COMPONENTS);
  const submits = definitions.map(({ type }) => [submitName(type), ofType(schema, type)] as const);
  return {
    SubmitJob: {
      oneOf: submits.map(([name]) => ({ $ref: `${COMPONENTS}${name}` })),
      discriminator: {
        propertyName: 'type',
        mapping: Object.fromEntries(definitions.map(({ type }) => [type, `${COMPONENTS}${submitName(type)}`])),
      },
    },
    ...Object.fromEntries(submits),
  };
}

function submitName(type: string): string {
  return `Submit.${type}`;
}

function ofType(schema: JsonSchema, type: string): JsonSchema {
  const properties = schema['properties'] as JsonSchema; // The schema of a class always has them.
  return { ...schema, properties: { ...properties, type: { const: type }, payload: { $ref: `${COMPONENTS}${type}` } } };
}
