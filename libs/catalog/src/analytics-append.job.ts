import { IsObject, Length, Matches } from 'class-validator';
import { defineJob, exponential } from '@antrean/jobs';
import { SINGLE_LINE } from './single-line.js';
import { IsUtcTime } from './utc-time.decorator.js';

const oneLine = { message: '$property must not hold line breaks or other control characters' };

/** Something that happened, as those who count are told of it. */
export class AnalyticsEvent {
  /** The same however often it is told. */
  @Matches(SINGLE_LINE, oneLine)
  @Length(1, 128, { message: '$property must have 1 to 128 characters' })
  readonly id!: string;

  /** What happened, such as `order.created`. */
  @Matches(SINGLE_LINE, oneLine)
  @Length(1, 128, { message: '$property must have 1 to 128 characters' })
  readonly type!: string;

  /** When it happened. */
  @IsUtcTime()
  readonly timestamp!: string;

  @IsObject({ message: '$property must be an object' })
  readonly data!: Readonly<Record<string, unknown>>;
}

/** Appends an event as a line of JSON to a file of the worker. Result: `{appended}`, false when the line stood there already. */
export const AnalyticsAppend = defineJob('analytics.append', {
  payload: AnalyticsEvent,
  // What is counted is what the product says.
  internal: true,
  concurrency: { worker: 10 },
  timeout: '30s',
  attempts: 10,
  // It cannot kill its worker: one that dies under it, again and again, dies of something else.
  maxCrashes: 10,
  retry: exponential({ base: '1s', cap: '10m' }),
});
