import { createHash } from 'node:crypto';
import { defaultMetadataStorage } from 'class-transformer/cjs/storage.js';
import {
  checksOf,
  isBuiltIn,
  rulesByField,
  transformsOf,
  typeRuleOf,
  type AnyClass,
  type Rule,
  type TypeRule,
} from './class-rules.js';
import type { JobDefinition } from './job-definition.js';
import { ruleText } from './rule-text.js';
import { isUnchecked } from './unchecked-payload.js';

/** Raised when the text below is made in another way, so that builds before and after do not agree by accident. */
const FORMAT = 1;

const known = new WeakMap<JobDefinition, number>();

/**
 * A number for how a definition checks payloads, from 1 to 2^32 - 1: equal in two processes when type, version and every rule of
 * the payload class and the classes nested in it are equal, in whatever order they stand. A payload that was checked under the
 * same fingerprint need not be checked again. A validator of one's own counts by its name and constraints.
 *
 * 0 means "never trust it": something about a class cannot be known for sure, such as a condition that reads a variable from
 * around it, or a method that a rule may call.
 */
export function fingerprintOf(definition: JobDefinition): number {
  const found = known.get(definition);
  if (found !== undefined) return found;
  const made = make(definition);
  known.set(definition, made);
  return made;
}

function make({ type, version, payload }: JobDefinition): number {
  const classes = isUnchecked(payload) ? ['unchecked'] : classTexts(payload);
  if (classes === undefined) return 0;
  const text = JSON.stringify([FORMAT, type, version, classes]);
  return createHash('sha256').update(text).digest().readUInt32BE() || 1;
}

function classTexts(payload: AnyClass): readonly string[] | undefined {
  try {
    return new ClassTexts().of(payload);
  } catch {
    // A constructor or a type function of the class's author throws: where it is needed, the fault will be told.
    return undefined;
  }
}

/** Writes down a class and those nested in it, each once, under the number of its first mention. */
class ClassTexts {
  private readonly numbers = new Map<AnyClass, number>();
  private readonly texts: string[] = [];
  private known = true;

  of(Class: AnyClass): readonly string[] | undefined {
    this.mention(Class);
    return this.known ? this.texts : undefined;
  }

  private mention(Class: AnyClass): string {
    const before = this.numbers.get(Class);
    if (before !== undefined) return `class:${before}`;
    const number = this.numbers.size;
    this.numbers.set(Class, number);
    this.texts[number] = this.classText(Class);
    return `class:${number}`;
  }

  private classText(Class: AnyClass): string {
    if (hasMembers(Class)) this.known = false;
    const defaults = defaultsOf(Class);
    const rules = rulesByField(Class);
    const exposed = defaultMetadataStorage.getExposedMetadatas(Class);
    const excluded = defaultMetadataStorage.getExcludedMetadatas(Class);
    const about = [...exposed, ...excluded].map(({ propertyName, options }) => [propertyName, this.text(options)]);
    const names = new Set([...rules.keys(), ...defaults.keys(), ...exposed.map(({ propertyName }) => propertyName ?? '')]);
    const fields = [...names].toSorted().map((name) => [
      name,
      this.text(defaults.get(name)),
      (rules.get(name) ?? []).map((rule) => this.rule(rule)).toSorted(),
      this.type(typeRuleOf(Class, name)),
      // In their order: each gets what the one before has made.
      transformsOf(Class, name).map(({ transformFn, options }) => [this.text(transformFn), this.text(options)]),
    ]);
    return JSON.stringify([
      fields,
      about.map((entry) => JSON.stringify(entry)).toSorted(),
      defaultMetadataStorage.getStrategy(Class),
    ]);
  }

  private rule(rule: Rule): string {
    const checks = checksOf(rule);
    const names = checks.map(({ name, async }) => [name || this.unknown(), async]);
    const isPlainOptional = rule.name === 'isOptional';
    return JSON.stringify([
      rule.type,
      rule.name ?? null,
      names,
      checks.length > 0 && String(rule.constraintCls),
      // The one condition that class-validator writes itself; it reads the field's name from around it.
      isPlainOptional ? '' : this.text(rule.constraints),
      this.text(rule.validateIf),
      this.text([rule.each ?? false, rule.groups ?? [], rule.always]),
    ]);
  }

  private type(rule: TypeRule | undefined): unknown {
    if (rule === undefined) return null;
    const { typeFunction, options: { discriminator, ...others } = {}, reflectedType } = rule;
    return [
      // With parameters it may look at the data.
      typeFunction.length === 0 ? this.classOrBuiltIn(typeFunction()) : this.unknown(),
      typeof reflectedType === 'function' ? reflectedType.name : '',
      discriminator?.property ?? '',
      (discriminator?.subTypes ?? []).map(({ name, value }) => [name, this.classOrBuiltIn(value)]),
      this.text(others),
    ];
  }

  private classOrBuiltIn(type: unknown): string {
    if (typeof type !== 'function') return this.unknown();
    // A function where class-transformer asks for a class.
    return isBuiltIn(type) ? type.name : this.mention(type as AnyClass);
  }

  private text(value: unknown): string {
    return ruleText(value) ?? this.unknown();
  }

  private unknown(): '' {
    this.known = false;
    return '';
  }
}

/** Methods and accessors: a condition may call them, and what they do is not known. */
function hasMembers(Class: AnyClass): boolean {
  // A prototype is always an object, whatever the types say.
  let type = Class.prototype as object | null;
  while (type !== null && type !== Object.prototype) {
    if (Reflect.ownKeys(type).length > 1) return true;
    type = Object.getPrototypeOf(type) as object | null;
  }
  return false;
}

function defaultsOf(Class: AnyClass): ReadonlyMap<string, unknown> {
  // Abstract classes cannot be a payload; class-transformer makes an instance in the same way.
  return new Map(Object.entries(new (Class as new () => object)()));
}
