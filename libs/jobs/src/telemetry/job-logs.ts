import { types } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { errorFields } from '@antrean/platform';
import { checkMessage } from '../definition/check-message.js';
import type { JobLog } from '../definition/job-context.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from '../services/producer-options.js';
import type { StoredJob } from '../store/reply.js';
import { jobFields } from './job-journal.js';

const MAX_LINE_CHARACTERS = 4_096;
const MAX_MESSAGE_CHARACTERS = 2_000;

/** Takes the lines that are kept with a job. */
export interface KeptLog {
  log(json: string): void;
}

/** The logs that handlers write to: every line says which job it is about, and is kept with it. */
@Injectable()
export class JobLogs {
  constructor(@Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions) {}

  of(type: string, job: StoredJob, kept: KeptLog): JobLog {
    const logger = this.options.logger.child(jobFields(type, job));
    const write =
      (level: keyof JobLog) =>
      (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
        checkMessage(message);
        logger[level](fields, message);
        kept.log(lineJson(level, job.record.attempt, message, fields));
      };
    return { info: write('info'), warn: write('warn'), error: write('error') };
  }
}

/** A line as it is kept; a line that is too long, or no JSON, loses its fields. */
function lineJson(level: string, attempt: number, message: string, fields: Readonly<Record<string, unknown>>): string {
  const line = { level, attempt, message: message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed(), fields };
  try {
    const json = JSON.stringify(line, (_key, value: unknown) => (types.isNativeError(value) ? errorFields(value) : value));
    if (json.length <= MAX_LINE_CHARACTERS) return json;
  } catch {
    // Circles, big integers, getters that throw: the line says so.
  }
  return JSON.stringify({ ...line, fields: { left_out: 'These fields are too large, or cannot be written as JSON.' } });
}
