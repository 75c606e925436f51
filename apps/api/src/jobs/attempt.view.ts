import { NullableText, NullableTime, Text, Time, Whole } from '../http/view-fields.js';

/** One run in a job's trail. */
export class AttemptView {
  @Whole({ description: 'Counts every run from 1, those that used no attempt (a crash, a shutdown) included.', example: 1 })
  readonly number!: number;

  @Text()
  readonly worker_id!: string;

  @Time()
  readonly started_at!: string;

  @NullableTime({ description: 'null while it runs.' })
  readonly finished_at!: string | null;

  @NullableText({
    description: 'succeeded, failed, timed_out, snoozed, crashed, handed_back or cancelled; null while it runs.',
    example: 'failed',
  })
  readonly outcome!: string | null;

  @NullableText({ description: 'What went wrong.' })
  readonly error!: string | null;

  @NullableText()
  readonly error_name!: string | null;

  @NullableText()
  readonly error_code!: string | null;

  @NullableTime({ description: 'When the job was to run again, as decided at the end of this run.' })
  readonly next_attempt_at!: string | null;
}
