import { getMetadataStorage, type MetadataStorage, type ValidationError } from 'class-validator';
import type { Violation } from './errors.js';
import { pointerStep } from './json-pointer.js';
import { isSensitive, type DISCREET } from './sensitive.decorator.js';

const RESERVED: ReadonlySet<string> = new Set(Object.getOwnPropertyNames(Object.prototype));

/** The class libraries compare every field of an object with every other: thousands of them would hold up all other work. */
const MOST_FIELDS = 1_000;

/**
 * Keys that every object inherits (`constructor`, `__proto__`, …), which the class libraries drop or stumble over, and objects
 * with too many keys for them.
 */
export function unreadableKeys(value: object, pointer: string): Violation[] {
  const entries: [string, unknown][] = Object.entries(value);
  if (!Array.isArray(value) && entries.length > MOST_FIELDS) {
    return [{ pointer, detail: `must have at most ${MOST_FIELDS} fields, it has ${entries.length}` }];
  }
  return entries.flatMap(([key, child]) => {
    const place = `${pointer}/${pointerStep(key)}`;
    if (!Array.isArray(value) && RESERVED.has(key)) return [{ pointer: place, detail: 'has a name that is reserved' }];
    return typeof child === 'object' && child !== null ? unreadableKeys(child, place) : [];
  });
}

/** Whether there is nothing but plain objects and arrays in a value, and {@link unreadableKeys} would find none. */
export function isReadable(value: object): boolean {
  if (Array.isArray(value))
    return value.every((entry: unknown) => typeof entry !== 'object' || entry === null || isReadable(entry));
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  const keys = Object.keys(value);
  return (
    keys.length <= MOST_FIELDS &&
    keys.every((key) => {
      const child = (value as Readonly<Record<string, unknown>>)[key];
      return !RESERVED.has(key) && (typeof child !== 'object' || child === null || isReadable(child));
    })
  );
}

/**
 * What class-validator found, place by place. What it says of a sensitive value may repeat it, so only the rule is named, unless the
 * rule is {@link DISCREET}.
 */
export function violationsOf(errors: readonly ValidationError[], parent = '', isHidden = false): Violation[] {
  return errors.flatMap(({ target, property, constraints = {}, contexts = {}, children = [] }) => {
    const pointer = `${parent}/${pointerStep(property)}`;
    const isOneHidden = isHidden || (target !== undefined && isSensitive(target, property));
    const own = Object.entries(constraints)
      .toSorted(([a], [b]) => Number(isOfKind(b)) - Number(isOfKind(a)))
      .map(([rule, message]) => ({
        pointer,
        detail:
          rule === 'whitelistValidation'
            ? unknownField(target)
            : detailOf(rule, message, isOneHidden && !isDiscreet(contexts, rule)),
      }));
    return [...own, ...violationsOf(children, pointer, isOneHidden)];
  });
}

/** `isInt` and its like: a value of the wrong kind breaks the rules on its bounds too, which then say nothing. */
function isOfKind(rule: string): boolean {
  return rule.startsWith('is');
}

function detailOf(rule: string, message: string, isHidden: boolean): string {
  return isHidden ? `breaks the rule ${rule}; the value is sensitive and not shown` : message;
}

/** What a rule was given as its context comes back as a copy. */
function isDiscreet(contexts: Readonly<Record<string, Partial<typeof DISCREET.context> | undefined>>, rule: string): boolean {
  return contexts[rule]?.isDiscreet === true;
}

/** Faults are many and messages short, so a class with more fields is not told whole. */
const MOST_KNOWN = 20;

/** The sentence by class: a body may have thousands of unknown fields, and to ask the class libraries takes its time. */
const unknownFields = new WeakMap<object, string>();

function unknownField(target: object = {}): string {
  const known = unknownFields.get(target.constructor);
  if (known !== undefined) return known;
  const detail = unknownFieldOf(target.constructor);
  unknownFields.set(target.constructor, detail);
  return detail;
}

function unknownFieldOf(payload: Parameters<MetadataStorage['getTargetValidationMetadatas']>[0]): string {
  const rules = getMetadataStorage().getTargetValidationMetadatas(payload, '', true, false);
  const known = [...new Set(rules.map(({ propertyName }) => propertyName))].sort();
  if (known.length === 0) return 'is not a known field';
  const more = known.length > MOST_KNOWN ? `, and ${known.length - MOST_KNOWN} more` : '';
  return `is not a known field, known are ${known.slice(0, MOST_KNOWN).join(', ')}${more}`;
}
