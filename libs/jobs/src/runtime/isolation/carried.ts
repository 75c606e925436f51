/**
 * A thrown or logged value in a form that crosses between threads, which the values themselves do not: structured clone
 * refuses functions and loses classes, codes and whatever a getter says. Made by carry(), read by restore().
 */
export interface Carried {
  readonly value: CarriedValue;
  /** What `String(value)` says; undefined when that throws. */
  readonly printed: string | undefined;
}

type Primitive = undefined | null | boolean | number | bigint | string;

export type CarriedValue =
  | { readonly is: 'primitive'; readonly primitive: Primitive }
  | { readonly is: 'symbol'; readonly description: string }
  | { readonly is: 'date'; readonly ms: number }
  /** Reading it threw. */
  | { readonly is: 'unreadable' }
  | CarriedObject;

export interface CarriedObject {
  readonly is: 'object';
  /** What both sides know it as: `array`, `function`, the nearest error class by its name, or undefined for any other object. */
  readonly like: string | undefined;
  /** Filled while it is walked: an object may hold itself. */
  readonly properties: [name: string, value: CarriedValue][];
}
