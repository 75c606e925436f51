import type { JobStatus } from '../definition/job-status.js';
import type { Link } from './link.js';
import { statusOf } from './record.js';
import { asArray, asNumber, asText } from './reply.js';
import { Script } from './script.js';

const script = new Script('reap');

export interface ReapCall {
  readonly type: string;
  readonly limit: number;
  readonly maxCrashes: number;
  readonly keepFailed: boolean;
  /** The error noted in the trail for a crash, and for the one that buries, as JSON. */
  readonly crashJson: string;
  readonly poisonJson: string;
}

export interface Reaped {
  /** More jobs stand under leases that are over. */
  readonly more: boolean;
  readonly workerNumber: string | undefined;
  readonly jobs: readonly { readonly ulid: string; readonly status: JobStatus }[];
}

/** Takes back the jobs of one worker whose lease is over. */
export async function reap(link: Link, call: ReapCall): Promise<Reaped> {
  const keys = link.keys(call.type);
  const [more, worker, ...pairs] = asArray(
    await script.run(
      link.redis,
      [keys.clock, keys.leases, keys.lanes, keys.running, keys.idle, keys.failed, keys.workers, ...keys.ready],
      [call.limit, call.maxCrashes, call.keepFailed ? 1 : 0, call.crashJson, call.poisonJson],
    ),
  );
  const jobs: { ulid: string; status: JobStatus }[] = [];
  for (let i = 0; i < pairs.length; i += 2) jobs.push({ ulid: asText(pairs[i]), status: statusOf(asText(pairs[i + 1])) });
  return { more: asNumber(more) === 1, workerNumber: worker === undefined ? undefined : asText(worker), jobs };
}
