import type { Logger } from '@antrean/platform';

/**
 * The application's logger for the engine's use: a sink, serializer or hook of it that throws loses a line, and no job. There is
 * nowhere to tell it.
 */
export function harmless(logger: Logger): Logger {
  const write =
    (level: 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace') =>
    (...line: Parameters<Logger['info']>): void => {
      try {
        logger[level](...line);
      } catch {
        // The line is lost.
      }
    };
  const own = {
    fatal: write('fatal'),
    error: write('error'),
    warn: write('warn'),
    info: write('info'),
    debug: write('debug'),
    trace: write('trace'),
    child: (bindings: Readonly<Record<string, unknown>>): Logger => harmless(logger.child(bindings)),
  };
  // All else is as it is with the logger itself, which is the prototype.
  return Object.assign(Object.create(logger) as Logger, own);
}
