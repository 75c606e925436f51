import * as ours from '../../definition/errors.js';

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
export const ERROR_CLASSES: ReadonlyMap<string, ErrorClass> = new Map(
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
