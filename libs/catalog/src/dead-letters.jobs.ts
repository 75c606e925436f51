import { IsBoolean, IsNumber, IsOptional, IsString, Length, Matches, Max, Min } from 'class-validator';
import { JOB_TYPE_SHAPE, defineJob, exponential, type JobPolicy } from '@antrean/jobs';

const UTC = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** Which dead letters are meant, and how fast they are to be gone through. What is left out narrows nothing. */
export class DeadLettersPayload {
  @IsOptional()
  @Matches(JOB_TYPE_SHAPE)
  readonly type?: string;

  @IsOptional()
  @IsString()
  @Length(1, 255)
  readonly error_code?: string;

  @IsOptional()
  @IsString()
  @Length(1, 128)
  readonly user_id?: string;

  @IsOptional()
  @IsString()
  @Length(1, 64)
  readonly tag?: string;

  /** Of the time when the job failed; included. As `Date.toISOString` writes it: what a client may write is for the api to say. */
  @IsOptional()
  @Matches(UTC)
  readonly from?: string;

  /** Likewise; the start of the walk when it is left out. */
  @IsOptional()
  @Matches(UTC)
  readonly to?: string;

  /** Only counts them. */
  @IsOptional()
  @IsBoolean()
  readonly dry_run?: boolean;

  /** Of those that match. */
  @IsNumber()
  @Min(1)
  @Max(10_000)
  readonly per_second!: number;
}

/** A walk goes on from its checkpoint, however often it is cut off. */
const POLICY = {
  payload: DeadLettersPayload,
  internal: true,
  concurrency: { worker: 2 },
  timeout: '1d',
  attempts: 50,
  retry: exponential({ base: '1s', cap: '1m' }),
  maxCrashes: 10,
} as const satisfies JobPolicy<DeadLettersPayload>;

/** Lets dead letters run again. Result: `{seen, matched, changed, refused}`. */
export const ReplayDeadLetters = defineJob('dead-letters.replay', POLICY);

/** Deletes dead letters. Result: as of {@link ReplayDeadLetters}. */
export const DeleteDeadLetters = defineJob('dead-letters.delete', POLICY);
