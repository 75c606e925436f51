import type { JobStatus } from '@antrean/jobs';
import { decodeRecord, type JobRecord } from '../../libs/jobs/src/store/record.js';
import { asArray } from '../../libs/jobs/src/store/reply.js';
import type { StoredQueue } from './stored-queue.js';

/** One job as it lies in Redis. */
export interface JobView {
  readonly record: JobRecord;
  /** The record to the byte, and the side hash. */
  readonly stored: string;
  /** The structures that hold an entry of the job. */
  readonly places: readonly string[];
}

/** All there is of a queue at one moment, read without the scripts. */
export interface QueueView {
  readonly jobs: ReadonlyMap<string, JobView>;
  /** Jobs that are gone but for their side hash. */
  readonly remains: readonly string[];
  /** Structures by name, with their entries and, where they have some, scores. */
  readonly structures: Readonly<Record<string, readonly string[]>>;
}

const SETS = ['scheduled', 'retrying', 'running', 'succeeded', 'failed', 'cancelled', 'expired'] as const;
const PLACE_OF: Readonly<Record<Exclude<JobStatus, 'queued'>, string>> = {
  scheduled: 'scheduled',
  processing: 'running',
  retrying: 'retrying',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
};

/** Reads the jobs of these ulids and every structure of the queue, in one round trip. */
export async function viewQueue(queue: StoredQueue, ulids: readonly string[]): Promise<QueueView> {
  const { keys } = queue;
  const replies = await readAll(queue, [
    ...ulids.map((ulid) => ['getBuffer', keys.job(ulid)]),
    ...ulids.map((ulid) => ['hgetall', queue.extraKey(ulid)]),
    ...SETS.map((name) => ['zrange', keys[name], '0', '-1']),
    ...keys.ready.map((list) => ['lrange', list, '0', '-1']),
    ['zrange', keys.leases, '0', '-1', 'WITHSCORES'],
    ['hkeys', keys.lanes],
    ['hvals', keys.lanes],
  ]);
  const records = replies.splice(0, ulids.length);
  const extras = replies.splice(0, ulids.length).map((extra) => JSON.stringify(extra));
  const holders = [...SETS, ...keys.ready.map((_list, priority) => `ready:${priority}`)];
  const places = holders.map((name) => [name, textsOf(replies.shift())] as const);
  const jobs = new Map<string, JobView>();
  ulids.forEach((ulid, index) => {
    const record = records[index];
    if (!Buffer.isBuffer(record)) return;
    jobs.set(ulid, {
      record: decodeRecord(record),
      stored: `${record.toString('latin1')} ${extras[index] ?? ''}`,
      places: places.flatMap(([name, entries]) => entries.filter((entry) => entry.startsWith(ulid)).map(() => name)),
    });
  });
  const [leases, lanes, calls] = replies;
  return {
    jobs,
    remains: ulids.filter((ulid, index) => !jobs.has(ulid) && extras[index] !== '{}'),
    structures: { ...Object.fromEntries(places), leases: textsOf(leases), lanes: [...textsOf(lanes), ...textsOf(calls)] },
  };
}

async function readAll({ redis }: StoredQueue, commands: string[][]): Promise<unknown[]> {
  const replies = (await redis.pipeline(commands).exec()) ?? [];
  return replies.map(([error, reply]) => {
    if (error !== null) throw error;
    return reply;
  });
}

function textsOf(reply: unknown): string[] {
  return asArray(reply).map(String);
}

/** What does not hold of a queue between two commands and must: a text for each fault. */
export async function faultsOf(queue: StoredQueue, view: QueueView): Promise<string[]> {
  const faults = [...view.remains.map((ulid) => `${ulid} is gone but for its side hash`), ...strayEntries(view)];
  const counts = new Map<string, number>();
  for (const [ulid, { record, places }] of view.jobs) {
    counts.set(record.status, (counts.get(record.status) ?? 0) + 1);
    const place = record.status === 'queued' ? `ready:${record.priority}` : PLACE_OF[record.status];
    if (places.join() !== place) faults.push(`${ulid} is ${record.status} and stands in ${places.join(', ') || 'nothing'}`);
    if (record.attempt > record.maxAttempts) faults.push(`${ulid} made ${record.attempt} of ${record.maxAttempts} attempts`);
    // Without a lease nobody would ever take it back.
    if (record.status === 'processing' && !view.structures['leases']?.includes(record.workerNumber)) {
      faults.push(`${ulid} runs without a lease`);
    }
  }
  for (const [status, count] of Object.entries((await queue.depth()).counts)) {
    if (count !== (counts.get(status) ?? 0))
      faults.push(`${count} jobs are said to be ${status}, ${counts.get(status) ?? 0} are`);
  }
  return faults;
}

function strayEntries({ structures, jobs }: QueueView): string[] {
  return Object.entries(structures)
    .filter(([name]) => name !== 'leases' && name !== 'lanes')
    .flatMap(([name, entries]) =>
      entries.filter((entry) => !jobs.has(entry)).map((entry) => `${entry} stands in ${name} without a job`),
    );
}
