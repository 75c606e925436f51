import { pino, stdTimeFunctions, type DestinationStream, type Logger, type LoggerOptions } from 'pino';
import { prettyFactory, type PrettyOptions } from 'pino-pretty';
import { errorFields } from './error-fields.js';
import { StandardOutput } from './standard-output.js';

export type { Logger } from 'pino';

export const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** `json` is one object a line, for machines; `pretty` is for people at a terminal. */
export const LOG_FORMATS = ['json', 'pretty'] as const;
export type LogFormat = (typeof LOG_FORMATS)[number];

/** What a log needs to know of its application. */
export interface LogSettings {
  readonly app: 'api' | 'worker';
  readonly level: LogLevel;
  readonly format: LogFormat;
}

const PRETTY: PrettyOptions = { translateTime: 'SYS:HH:MM:ss.l', ignore: 'app', singleLine: true };

/** Nobody is to log these; should it happen all the same, they do not leave the process. */
const NEVER_SHOWN = ['payload', 'req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'];

/**
 * An application's log on standard output: ISO 8601 time, level as text, the application's name. Errors belong in the field `err`.
 * @param destination takes the JSON lines instead of standard output; `format` is then without effect.
 */
export function createLogger({ app, level, format }: LogSettings, destination?: DestinationStream): Logger {
  const options: LoggerOptions = {
    level,
    base: { app },
    timestamp: stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }) },
    serializers: { err: errorFields },
    redact: { paths: NEVER_SHOWN, censor: '[redacted]' },
  };
  if (destination !== undefined) return pino(options, destination);
  const output: StandardOutput = new StandardOutput(undefined, (lines) => {
    logger.warn({ lines }, 'lines of the log were dropped, nobody read them in time');
  });
  const prettify = prettyFactory(PRETTY);
  const write = (line: string): void => {
    output.write(prettify(line));
  };
  const logger: Logger = pino(options, format === 'json' ? output : { write });
  return logger;
}
