import { inspect } from 'node:util';
import type { LoggerService } from '@nestjs/common';
import type { Level, Logger } from 'pino';

/**
 * Worth reading only when the wiring is in question: one line for every module, controller and route, and the error of a
 * start that failed, which the application logs too.
 */
const WIRING = new Set([
  'ExceptionHandler',
  'InstanceLoader',
  'NestApplication',
  'NestFactory',
  'RouterExplorer',
  'RoutesResolver',
]);
const STACK = /\n\s+at /;

/** Sends what Nest itself logs through the application's log, with Nest's context as a field. */
export class NestLog implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...rest: readonly unknown[]): void {
    this.write('info', message, rest);
  }

  error(message: unknown, ...rest: readonly unknown[]): void {
    this.write('error', message, rest);
  }

  warn(message: unknown, ...rest: readonly unknown[]): void {
    this.write('warn', message, rest);
  }

  debug(message: unknown, ...rest: readonly unknown[]): void {
    this.write('debug', message, rest);
  }

  verbose(message: unknown, ...rest: readonly unknown[]): void {
    this.write('trace', message, rest);
  }

  fatal(message: unknown, ...rest: readonly unknown[]): void {
    this.write('fatal', message, rest);
  }

  /** Nest puts the context last and, with an error, its stack before it. */
  private write(level: Level, message: unknown, rest: readonly unknown[]): void {
    const texts = rest.filter((part) => typeof part === 'string');
    const stack = texts.find((text) => STACK.test(text));
    const context = texts.findLast((text) => text !== stack);
    const err = [message, ...rest].find((part) => part instanceof Error);
    const quiet = context !== undefined && WIRING.has(context);
    const text =
      message instanceof Error
        ? message.message
        : typeof message === 'string'
          ? message
          : inspect(message, { breakLength: Infinity });
    this.logger[quiet ? 'debug' : level]({ context, ...(err === undefined ? { stack } : { err }) }, text);
  }
}
