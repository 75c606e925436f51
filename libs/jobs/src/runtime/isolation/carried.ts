import { types } from 'node:util';
import * as ours from '../../definition/errors.js';

/**
 * A thrown or logged value in a form that crosses between threads, which the values themselves do not: structured clone
 * refuses functions and loses classes, codes and whatever a getter says. Made by {@link carry}, read by {@link restore}.
 */
export interface Carried {
  readonly value: CarriedValue;
  /** What `String(value)` says; undefined when that throws. */
  readonly printed: string | undefined;
}

type Primitive = undefined | null | boolean | number | bigint | string;

type CarriedValue =
  | { readonly is: 'primitive'; readonly primitive: Primitive }
  | { readonly is: 'symbol'; readonly description: string }
  | { readonly is: 'date'; readonly ms: number }
  /** Reading it threw. */
  | { readonly is: 'unreadable' }
  | CarriedObject;

interface CarriedObject {
  readonly is: 'object';
  /** What both sides know it as: `array`, `function`, the nearest error class by its name, or undefined for any other object. */
  readonly like: string | undefined;
  /** Filled while it is walked: an object may hold itself. */
  readonly properties: [name: string, value: CarriedValue][];
}

type ErrorClass = (abstract new (...args: never[]) => Error) & { readonly prototype: Error };

const BUILT_IN: readonly ErrorClass[] = [
  AggregateError,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
  Error,
];

/** The error classes that exist on both sides, those with the longest descent first. */
const ERROR_CLASSES: ReadonlyMap<string, ErrorClass> = new Map(
  [
    ...Object.values(ours)
      .filter(isErrorClass)
      .sort((a, b) => descent(b) - descent(a)),
    ...BUILT_IN,
  ].map((errorClass) => [errorClass.name, errorClass]),
);

function isErrorClass(value: unknown): value is ErrorClass {
  return typeof value === 'function' && value.prototype instanceof Error;
}

function descent(errorClass: ErrorClass): number {
  let length = 0;
  for (let at: unknown = errorClass; at !== null; at = Object.getPrototypeOf(at)) length += 1;
  return length;
}

/** What is asked of errors wherever they come from, so it is carried also when the prototype answers it. */
const ASKED_FOR = ['name', 'message', 'stack', 'code', 'cause', 'status', 'statusCode', 'response', 'delayMs', 'errors'];
/** Own in every error, and left out of its listing. */
const HIDDEN: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'errors']);

/** An error of an HTTP client may hang on its sockets, and these on all else. */
const DEEPEST = 6;
const MOST_VALUES = 1_000;
const LONGEST_TEXT = 65_536;

/** Never throws, whatever it is given. */
export function carry(thrown: unknown): Carried {
  return { value: new Walk().value(thrown, 0), printed: printedAs(thrown) };
}

class Walk {
  private readonly seen = new Map<object, CarriedObject>();
  private left = MOST_VALUES;

  value(value: unknown, depth: number): CarriedValue {
    switch (typeof value) {
      case 'symbol':
        return { is: 'symbol', description: value.description ?? '' };
      case 'string':
        return { is: 'primitive', primitive: value.slice(0, LONGEST_TEXT) };
      case 'function':
        return depth === 0 ? this.object(value, depth) : { is: 'primitive', primitive: undefined };
      case 'object':
        return value === null ? { is: 'primitive', primitive: null } : this.object(value, depth);
      case 'undefined':
      case 'boolean':
      case 'number':
      case 'bigint':
        return { is: 'primitive', primitive: value };
    }
  }

  private object(value: object, depth: number): CarriedValue {
    const known = this.seen.get(value);
    if (known !== undefined) return known;
    this.left -= 1;
    if (depth > DEEPEST || this.left < 0 || ArrayBuffer.isView(value)) return { is: 'primitive', primitive: undefined };
    if (types.isDate(value)) return { is: 'date', ms: Date.prototype.getTime.call(value) };
    const carried: CarriedObject = { is: 'object', like: likeness(value), properties: [] };
    this.seen.set(value, carried);
    for (const name of namesOf(value, carried.like)) {
      if (this.left <= 0) break;
      const property = this.property(value, name, depth);
      if (property !== undefined) carried.properties.push([name, property]);
    }
    return carried;
  }

  private property(owner: object, name: string, depth: number): CarriedValue | undefined {
    this.left -= 1;
    try {
      const value: unknown = Reflect.get(owner, name);
      // One of its own hides what its class has under that name, also when it says nothing.
      return value === undefined && !Object.hasOwn(owner, name) ? undefined : this.value(value, depth + 1);
    } catch {
      return { is: 'unreadable' };
    }
  }
}

function likeness(value: object): string | undefined {
  if (typeof value === 'function') return 'function';
  try {
    if (Array.isArray(value)) return 'array';
    for (const [name, errorClass] of ERROR_CLASSES) if (value instanceof errorClass) return name;
  } catch {
    // A proxy may throw at whatever it is asked.
  }
  return types.isNativeError(value) ? 'Error' : undefined;
}

function namesOf(value: object, like: string | undefined): ReadonlySet<string> {
  if (like === 'array') return new Set(attempt(() => Object.keys(value)) ?? []);
  return new Set([...ASKED_FOR, ...(attempt(() => Object.keys(value)) ?? []), ...(attempt(() => gettersOf(value)) ?? [])]);
}

/** Of the classes of the value, but not of those that every object has. */
function gettersOf(value: object): string[] {
  const names: string[] = [];
  let at: object | null = Reflect.getPrototypeOf(value);
  for (; at !== null && at !== Object.prototype && at !== Function.prototype; at = Reflect.getPrototypeOf(at)) {
    for (const [name, property] of Object.entries(Object.getOwnPropertyDescriptors(at))) {
      if (property.get !== undefined && name !== '__proto__') names.push(name);
    }
  }
  return names;
}

function printedAs(thrown: unknown): string | undefined {
  return attempt(() => String(thrown).slice(0, LONGEST_TEXT));
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * The value again, as far as the engine, a classifier and a log may ask: primitives as they were; errors as instances of the nearest class
 * of this library or of the language, with their properties, causes and circles; other objects as plain ones. What could not be
 * read there throws here too.
 */
export function restore({ value, printed }: Carried): unknown {
  const restored = build(value, new Map());
  if (!isObject(restored) || printedAs(restored) === printed) return restored;
  return Object.defineProperty(restored, 'toString', {
    value: () => {
      if (printed === undefined) throw new TypeError('The value cannot be printed.');
      return printed;
    },
  });
}

function build(value: CarriedValue, built: Map<CarriedObject, object>): unknown {
  switch (value.is) {
    case 'primitive':
      return value.primitive;
    case 'symbol':
      return Symbol(value.description);
    case 'date':
      return new Date(value.ms);
    case 'unreadable':
      return undefined;
    case 'object':
      return built.get(value) ?? buildObject(value, built);
  }
}

function buildObject(carried: CarriedObject, built: Map<CarriedObject, object>): object {
  const { like, properties } = carried;
  const object = newObject(like);
  built.set(carried, object);
  for (const [name, value] of properties) {
    const enumerable = !(object instanceof Error && HIDDEN.has(name));
    Object.defineProperty(
      object,
      name,
      value.is === 'unreadable'
        ? { get: refuseToBeRead, enumerable, configurable: true }
        : { value: build(value, built), enumerable, configurable: true, writable: true },
    );
  }
  return object;
}

function newObject(like: string | undefined): object {
  if (like === undefined) return {};
  if (like === 'array') return [];
  return like === 'function' ? () => undefined : newError(like);
}

/** Made without the class's constructor, whose arguments nobody kept. */
function newError(className: string): Error {
  const error = new Error();
  // Its stack would tell of this place; the one of the real error is among the properties, if it had one.
  delete error.stack;
  return Object.setPrototypeOf(error, ERROR_CLASSES.get(className)?.prototype ?? Error.prototype) as Error; // It stays what it is.
}

function refuseToBeRead(): never {
  throw new TypeError('The property could not be read where the error was thrown.');
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
}
