import { isUnchecked } from '@antrean/jobs';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { targetConstructorToSchema, validationMetadatasToSchemas } from 'class-validator-jsonschema';

/** A JSON schema of draft 2020-12, the dialect of OpenAPI 3.1. */
export type JsonSchema = Readonly<Record<string, unknown>>;

export interface ClassSchema {
  readonly schema: JsonSchema;
  /** The schemas of nested classes that it refers to, by class name. */
  readonly nested: Readonly<Record<string, JsonSchema>>;
}

/**
 * The JSON schema of a class, from its class-validator rules; fields without a rule are not in it, as they are refused too.
 * A class that stands for unchecked payloads takes any object.
 * @param refPrefix what references to nested classes begin with, such as `#/$defs/`.
 */
export function classSchema(Class: abstract new () => object, refPrefix: string): ClassSchema {
  if (isUnchecked(Class)) return { schema: { type: 'object' }, nested: {} };
  const options = {
    refPointerPrefix: refPrefix,
    classTransformerMetadataStorage: defaultMetadataStorage,
    // A rule brings its whole schema with it; what the generator would guess from the field's type is less exact.
    additionalConverters: { rule: {} },
  };
  const schema = strict(targetConstructorToSchema(Class, options));
  const all: Readonly<Record<string, unknown>> = validationMetadatasToSchemas(options);
  const nested: Record<string, JsonSchema> = {};
  const collect = (from: JsonSchema): void => {
    for (const name of refsIn(from, refPrefix)) {
      const found = all[name];
      if (found === undefined || name in nested) continue;
      const inner = strict(found);
      nested[name] = inner;
      collect(inner);
    }
  };
  collect(schema);
  return { schema, nested };
}

function strict(generated: unknown): JsonSchema {
  // A schema generated for a class is an object, never a boolean or a reference.
  return { ...(modern(generated) as JsonSchema), additionalProperties: false };
}

function refsIn(schema: JsonSchema, prefix: string): string[] {
  const refs = JSON.stringify(schema).matchAll(/"\$ref":"([^"]+)"/g);
  return [...refs].flatMap(([, ref = '']) => (ref.startsWith(prefix) ? ref.slice(prefix.length) : []));
}

/** `exclusiveMinimum` was a flag beside `minimum` in the dialect the generator speaks; it is a number of its own now. */
export function modern(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(modern);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).map(([key, value]) => [key, modern(value)] as const);
  return bound('Minimum', bound('Maximum', Object.fromEntries(entries)));
}

function bound(name: 'Minimum' | 'Maximum', schema: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const [flag, inclusive] = [`exclusive${name}`, name.toLowerCase()];
  const { [flag]: exclusive, [inclusive]: limit, ...rest } = schema;
  if (typeof exclusive !== 'boolean') return schema;
  return { ...rest, [exclusive ? flag : inclusive]: limit };
}
