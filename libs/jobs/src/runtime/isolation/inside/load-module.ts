import type { DynamicModule, Type } from '@nestjs/common';

/**
 * The Nest module that is the default export of a file: a class or a dynamic module, or what a function, perhaps an
 * async one, makes of either.
 * @param file its URL.
 * @throws {Error} when it exports nothing of the kind, and whatever the file or the function throws.
 */
export async function loadModule(file: string): Promise<Type | DynamicModule> {
  // Checked below.
  const { default: exported } = (await import(file)) as { readonly default?: unknown };
  const module: unknown = isFunction(exported) && !isClass(exported) ? await exported() : exported;
  if (isFunction(module) && isClass(module)) return module as unknown as Type; // Classes are what Nest calls types.
  if (isDynamicModule(module)) return module;
  throw new Error('its default export is no Nest module: export a class, a dynamic module, or a function that returns one');
}

type Callable = () => unknown;

function isFunction(value: unknown): value is Callable {
  return typeof value === 'function';
}

/** One compiled for an old target is a function, but decorated. */
function isClass(value: Callable): boolean {
  return /^class\b/.test(Function.prototype.toString.call(value)) || Reflect.getMetadataKeys(value).length > 0;
}

function isDynamicModule(value: unknown): value is DynamicModule {
  return typeof value === 'object' && value !== null && 'module' in value && isFunction(value.module);
}
