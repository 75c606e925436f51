import { Inject, Injectable } from '@nestjs/common';
import type { JobLog } from '../definition/job-context.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from '../services/producer-options.js';
import type { StoredJob } from '../store/reply.js';
import { jobFields } from './job-journal.js';

/** The logs that handlers write to: every line says which job it is about. */
@Injectable()
export class JobLogs {
  constructor(@Inject(PRODUCER_OPTIONS) private readonly options: ProducerOptions) {}

  of(type: string, job: StoredJob): JobLog {
    const logger = this.options.logger.child(jobFields(type, job));
    return {
      info: (message, fields = {}) => {
        logger.info(fields, message);
      },
      warn: (message, fields = {}) => {
        logger.warn(fields, message);
      },
      error: (message, fields = {}) => {
        logger.error(fields, message);
      },
    };
  }
}
