import { types } from 'node:util';
import type { Carried, CarriedObject, CarriedValue } from './carried.js';
import { ERROR_CLASSES } from './error-classes.js';
import { LONGEST_TEXT, attempt, printedAs } from './printed-as.js';

/** What is asked of errors wherever they come from, so it is carried also when the prototype answers it. */
const ASKED_FOR = ['name', 'message', 'stack', 'code', 'cause', 'status', 'statusCode', 'response', 'delayMs', 'errors'];

/** An error of an HTTP client may hang on its sockets, and these on all else. */
const DEEPEST = 6;
const MOST_VALUES = 1_000;

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
