import type { LoggerService } from '@nestjs/common';
import { carry } from '../carry.js';
import type { IsolateReport, NestLevel } from '../isolate-messages.js';

/** Sends what Nest and the user's module log through Nest to the process, whose log it belongs in. */
export class NestLogReports implements LoggerService {
  constructor(private readonly report: (report: IsolateReport) => void) {}

  log(message: unknown, ...rest: readonly unknown[]): void {
    this.send('log', message, rest);
  }

  error(message: unknown, ...rest: readonly unknown[]): void {
    this.send('error', message, rest);
  }

  warn(message: unknown, ...rest: readonly unknown[]): void {
    this.send('warn', message, rest);
  }

  debug(message: unknown, ...rest: readonly unknown[]): void {
    this.send('debug', message, rest);
  }

  verbose(message: unknown, ...rest: readonly unknown[]): void {
    this.send('verbose', message, rest);
  }

  fatal(message: unknown, ...rest: readonly unknown[]): void {
    this.send('fatal', message, rest);
  }

  private send(level: NestLevel, message: unknown, rest: readonly unknown[]): void {
    this.report({ kind: 'nest_log', level, message: carry(message), rest: rest.map(carry) });
  }
}
