import { randomBytes } from 'node:crypto';
import { IsEmail, IsIn, IsInt, IsString, Length, Max, Min } from 'class-validator';

/** What every job of the benchmark carries, on both sides. */
export class BenchPayload {
  /** Tells the jobs of a run apart. */
  @IsInt()
  @Min(0)
  @Max(999_999_999)
  number!: number;

  @IsEmail()
  to!: string;

  @IsIn(['EUR', 'IDR', 'USD'])
  currency!: string;

  @IsInt()
  @Min(1)
  amount!: number;

  @IsString()
  @Length(1, 200)
  text!: string;
}

/** A job to submit: payload and the trace that it belongs to, as a request would bring it. */
export interface BenchJob {
  readonly payload: BenchPayload;
  readonly traceparent: string;
}

/** Of every payload, as JSON. */
export const PAYLOAD_BYTES = 200;

/** Jobs made beforehand, so that making them is no part of what is measured. */
export function makeJobs(count: number): BenchJob[] {
  return Array.from({ length: count }, (_, number) => makeJob(number));
}

export function makeJob(number: number): BenchJob {
  return {
    payload: payloadOf(number),
    traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
  };
}

function payloadOf(number: number): BenchPayload {
  const payload = { number, to: `customer${number}@example.com`, currency: 'IDR', amount: 1 + (number % 10_000), text: '' };
  return { ...payload, text: randomText(PAYLOAD_BYTES - JSON.stringify(payload).length) };
}

function randomText(length: number): string {
  return randomBytes(length).toString('base64url').slice(0, length);
}
