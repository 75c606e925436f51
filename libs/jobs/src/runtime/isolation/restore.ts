import type { Carried, CarriedObject, CarriedValue } from './carried.js';
import { ERROR_CLASSES } from './error-classes.js';
import { printedAs } from './printed-as.js';

/** Own in every error, and left out of its listing. */
const HIDDEN: ReadonlySet<string> = new Set(['name', 'message', 'stack', 'cause', 'errors']);

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
