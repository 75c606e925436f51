import { types } from 'node:util';

/** What a log line says about an error. */
export interface ErrorFields {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number;
  readonly stack?: string;
  readonly cause?: ErrorFields;
}

const DEEPEST_CAUSE = 4;

/**
 * The fields of an error that are safe to log. Others stay out on purpose: a Redis client hangs the whole failed command,
 * payload included, on its errors. Never throws, whatever was thrown.
 */
export function errorFields(thrown: unknown): ErrorFields {
  return readFields(thrown, DEEPEST_CAUSE);
}

function readFields(thrown: unknown, causesLeft: number): ErrorFields {
  try {
    if (!isError(thrown)) return { name: 'NotAnError', message: String(thrown) };
    const { name, message, stack, cause } = thrown;
    const code = 'code' in thrown ? thrown.code : undefined;
    return {
      name,
      message,
      ...((typeof code === 'string' || typeof code === 'number') && { code }),
      ...(typeof stack === 'string' && { stack }),
      ...(cause !== undefined && causesLeft > 0 && { cause: readFields(cause, causesLeft - 1) }),
    };
  } catch {
    return { name: 'NotAnError', message: 'Something was thrown that cannot be read.' };
  }
}

/** Also true for errors of another realm, such as a worker thread or a test's sandbox. */
function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || types.isNativeError(thrown);
}
