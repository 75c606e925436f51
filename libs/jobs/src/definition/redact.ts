import 'reflect-metadata';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import { isBuiltIn, rulesByField, typeRuleOf, type AnyClass } from './class-rules.js';
import type { JobDefinition } from './job-definition.js';
import { isSensitive } from './sensitive.decorator.js';
import { isUnchecked } from './unchecked-payload.js';

/** What stands in place of a value that is not to be shown. */
export const REDACTED = '[redacted]';

/**
 * A payload as it may be shown: the sensitive fields of its definition's class and the classes nested in it are `[redacted]`.
 * So are fields that a class does not know, as another version of it may have marked them. An unchecked payload is shown whole.
 * @param plain parsed JSON; it is not changed.
 */
export function redact({ payload }: JobDefinition, plain: unknown): unknown {
  return isUnchecked(payload) ? plain : redactAs([payload], plain);
}

/** @param classes those that an object may be of; none when it has no class and nothing in it is marked. */
function redactAs(classes: readonly AnyClass[], value: unknown): unknown {
  if (classes.length === 0 || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((entry) => redactAs(classes, entry));
  const entries: [string, unknown][] = Object.entries(value);
  return Object.fromEntries(entries.map(([key, child]) => [key, redactField(classes, value, key, child)]));
}

function redactField(classes: readonly AnyClass[], owner: object, key: string, value: unknown): unknown {
  const places = classes
    .map((Class) => ({ Class, field: fieldNamed(Class, key) }))
    .filter(({ Class, field }) => fieldsOf(Class).has(field));
  // The prototype of a class is an object.
  if (places.length === 0 || places.some(({ Class, field }) => isSensitive(Class.prototype as object, field))) return REDACTED;
  try {
    return redactAs(
      places.flatMap(({ Class, field }) => classesOf(Class, field, owner)),
      value,
    );
  } catch {
    // A type function of the class's author threw: nobody knows what the value is.
    return REDACTED;
  }
}

/** The field that a key of the JSON stands for, which @Expose may name otherwise. */
function fieldNamed(Class: AnyClass, key: string): string {
  // Its types leave out that most keys have none.
  const exposed = defaultMetadataStorage.findExposeMetadataByCustomName(Class, key) as { propertyName?: string } | undefined;
  return exposed?.propertyName ?? key;
}

const knownFields = new WeakMap<AnyClass, ReadonlySet<string>>();

function fieldsOf(Class: AnyClass): ReadonlySet<string> {
  const found = knownFields.get(Class);
  if (found !== undefined) return found;
  const fields = new Set([...rulesByField(Class).keys(), ...ownFields(Class)]);
  knownFields.set(Class, fields);
  return fields;
}

function ownFields(Class: AnyClass): readonly string[] {
  try {
    return Object.keys(new (Class as new () => object)());
  } catch {
    return [];
  }
}

/** What an object in a field may be an instance of. */
function classesOf(Class: AnyClass, field: string, owner: object): readonly AnyClass[] {
  const rule = typeRuleOf(Class, field);
  const declared: unknown =
    rule === undefined
      ? Reflect.getMetadata('design:type', Class.prototype as object, field)
      : rule.typeFunction({ newObject: {}, object: owner, property: field });
  const chosen = rule?.options?.discriminator?.subTypes.map(({ value }) => value) ?? [];
  return [declared, ...chosen].filter(isClass);
}

function isClass(type: unknown): type is AnyClass {
  return typeof type === 'function' && !isBuiltIn(type);
}
