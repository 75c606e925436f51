import type { Status } from './job.js';
import type { Queue } from './queue.js';

/** The fields of a first answer: the job it named, as that was then. */
export interface FirstAnswer {
  /** False: `ulid` held the dedupe key. */
  readonly accepted: boolean;
  readonly ulid: string;
  /** Undefined when the holder was gone already. */
  readonly job: { readonly status: Status; readonly createdAt: number; readonly traceId: string } | undefined;
}

export interface OnceRecord {
  readonly body: string;
  readonly deadline: number;
  readonly answer: FirstAnswer;
}

/** The record under a once key while it counts, whatever became of the job in it. */
export function onceRecordOf(queue: Queue, key: string, now: number): OnceRecord | undefined {
  const record = queue.once.get(key);
  return record !== undefined && record.deadline > now ? record : undefined;
}
