import type { JobStatus } from '@antrean/jobs';
import { decodeOutgoing, type Outgoing } from '../../libs/jobs/src/store/outgoing.js';
import { decodeRecord, type JobRecord } from '../../libs/jobs/src/store/record.js';
import { readKeys, type StoredValue } from './stored-keys.js';
import type { StoredQueue } from './stored-queue.js';

/** One job as it lies in Redis. */
export interface JobView {
  readonly record: JobRecord;
  /** The record to the byte. */
  readonly stored: Buffer;
  /** What its entry in a list looks like. */
  readonly entry: string;
  /** Its side hash. */
  readonly extra: ReadonlyMap<string, string>;
  readonly log: readonly string[];
  /** The structures that hold an entry of the job, ghosts and `expiring` aside. */
  readonly places: readonly string[];
}

/** All there is of a queue at one moment, read without the scripts. */
export interface QueueView {
  readonly jobs: ReadonlyMap<string, JobView>;
  /** Side hashes and logs whose job is gone. */
  readonly remains: readonly string[];
  /** By name: entries in their order, ghosts left out. */
  readonly lists: ReadonlyMap<string, readonly string[]>;
  /** By name. */
  readonly sets: ReadonlyMap<string, ReadonlyMap<string, number>>;
  readonly cancels: ReadonlySet<string>;
  /** Entries in lists that no longer stand for their job, as often as they are there. */
  readonly ghosts: readonly string[];
  /** What the set of ghosts holds. */
  readonly knownGhosts: ReadonlySet<string>;
  /** `worker:lane` → number of its last call. */
  readonly lanes: ReadonlyMap<string, number>;
  readonly workers: ReadonlyMap<string, string>;
  /** By key. */
  readonly dedupe: ReadonlyMap<string, string>;
  readonly once: ReadonlyMap<string, Buffer>;
  readonly outgoing: readonly Outgoing[];
}

const ULID_BYTES = 26;
/** Where a job stands by its status, a queued one aside. */
const PLACE_OF: Readonly<Record<Exclude<JobStatus, 'queued'>, string>> = {
  scheduled: 'scheduled',
  processing: 'running',
  retrying: 'retrying',
  succeeded: 'succeeded',
  failed: 'failed',
  cancelled: 'cancelled',
  expired: 'expired',
};
const SETS = [...Object.values(PLACE_OF), 'parked', 'expiring', 'leases', 'idle'];
const LISTS = ['suspects', ...Array.from({ length: 10 }, (_, priority) => `ready:${priority}`)];
const OTHERS = ['cancels', 'ghosts', 'lanes', 'workers', 'outgoing'];

/** Reads the jobs of these ulids and every structure of the queue, in one round trip. */
export async function viewQueue(queue: StoredQueue, ulids: readonly string[]): Promise<QueueView> {
  const names = [
    ...[...SETS, ...LISTS, ...OTHERS],
    ...ulids.flatMap((ulid) => ['job', 'extra', 'log'].map((part) => `${part}:${ulid}`)),
  ];
  const base = queue.keys.clock.slice(0, -'clock'.length);
  const { values } = await readKeys(
    queue.redis,
    names.map((name) => base + name),
  );
  return viewOf(base, values);
}

/**
 * A queue from what lies under its keys, all of which begin with `base`.
 * @param before an earlier view of the queue; records that have not changed since are taken from it
 */
export function viewOf(base: string, values: ReadonlyMap<string, StoredValue>, before?: QueueView): QueueView {
  const named = byPart(base, values);
  const structures = named('');
  const knownGhosts = new Set(entriesOf(structures.get('ghosts')));
  const stored = LISTS.map((name) => [name, entriesOf(structures.get(name))] as const);
  const sets = new Map(SETS.map((name) => [name, scoresOf(structures.get(name))] as const));
  const records = new Map([...named('job')].map(([ulid, value]) => [ulid, bytesOf(value)] as const));
  const isGhost = (entry: string): boolean => {
    const record = records.get(entry.slice(0, ULID_BYTES));
    return knownGhosts.has(entry) && (record === undefined || !standsInLine(record) || entryOf(entry, record) !== entry);
  };
  const lists = new Map(stored.map(([name, entries]) => [name, entries.filter((entry) => !isGhost(entry))] as const));
  const extras = named('extra');
  const logs = named('log');
  const places = placesOf(lists, sets);
  const jobs = [...records].map(([ulid, record]): [string, JobView] => {
    const known = before?.jobs.get(ulid);
    const view: JobView = {
      record: known?.stored.equals(record) === true ? known.record : decodeRecord(record),
      stored: record,
      entry: entryOf(ulid, record),
      extra: textsOf(extras.get(ulid)),
      log: entriesOf(logs.get(ulid)),
      places: places.get(ulid) ?? [],
    };
    return [ulid, view];
  });
  return {
    jobs: new Map(jobs),
    remains: [...extras.keys(), ...logs.keys()].filter((ulid) => !records.has(ulid)),
    lists,
    sets,
    cancels: new Set(entriesOf(structures.get('cancels'))),
    ghosts: stored.flatMap(([, entries]) => entries.filter(isGhost)),
    knownGhosts,
    lanes: new Map([...textsOf(structures.get('lanes'))].map(([lane, number]) => [lane, Number(number)])),
    workers: textsOf(structures.get('workers')),
    dedupe: new Map([...named('dedupe')].map(([key, value]) => [key, bytesOf(value).toString()])),
    once: new Map([...named('once')].map(([key, value]) => [key, bytesOf(value)])),
    outgoing: outgoingOf(structures.get('outgoing')),
  };
}

const PARTS: ReadonlySet<string> = new Set(['job', 'extra', 'log', 'dedupe', 'once']);

/** The values by what their keys begin with, `` for the queue's own structures, and by the rest of their names. */
function byPart(base: string, values: ReadonlyMap<string, StoredValue>): (part: string) => ReadonlyMap<string, StoredValue> {
  const parts = new Map(['', ...PARTS].map((part) => [part, new Map<string, StoredValue>()] as const));
  for (const [key, value] of values) {
    const name = key.slice(base.length);
    const part = name.slice(0, name.indexOf(':'));
    if (PARTS.has(part)) parts.get(part)?.set(name.slice(part.length + 1), value);
    else parts.get('')?.set(name, value);
  }
  return (part) => parts.get(part) ?? new Map<string, StoredValue>();
}

/** What does not hold of a queue between two commands and must: a text for each fault. */
export function faultsOf(view: QueueView): string[] {
  const faults = view.remains.map((ulid) => `${ulid} is gone but for its side hash or log`);
  for (const [ulid, { record, places }] of view.jobs) {
    const allowed = record.status === 'queued' ? [`ready:${record.priority}`, 'suspects', 'parked'] : [PLACE_OF[record.status]];
    if (places.length !== 1 || !allowed.includes(places[0] ?? '')) {
      faults.push(`${ulid} is ${record.status} and stands in ${places.join(', ') || 'nothing'}`);
    }
    const waits = ['scheduled', 'queued', 'retrying'].includes(record.status);
    if ((waits && record.expiresAt !== 0) !== view.sets.get('expiring')?.has(ulid)) {
      faults.push(`${ulid} is ${record.status}, expires at ${record.expiresAt}, and is wrongly said to expire, or not to`);
    }
    const toStop = record.status === 'processing' && record.cancelRequested;
    if (toStop !== view.cancels.has(ulid))
      faults.push(`${ulid} is ${toStop ? '' : 'not '}asked to stop, and cancels says otherwise`);
    if (record.attempt > record.maxAttempts) faults.push(`${ulid} made ${record.attempt} of ${record.maxAttempts} attempts`);
    // Without a lease nobody would ever take it back; without a registration nobody would know how long the lease was.
    if (record.status !== 'processing') continue;
    if (view.sets.get('leases')?.has(record.workerNumber) !== true) faults.push(`${ulid} runs without a lease`);
    if (!view.workers.has(record.workerNumber)) faults.push(`${ulid} runs under a worker that is not registered`);
  }
  return [...faults, ...strayEntries(view)];
}

function strayEntries({ lists, sets, ghosts, knownGhosts, cancels, jobs }: QueueView): string[] {
  const ofJobs = [...sets].filter(([name]) => name !== 'leases' && name !== 'idle');
  const held = [
    ...lists,
    ...ofJobs.map(([name, scores]) => [name, [...scores.keys()]] as const),
    ['cancels', [...cancels]] as const,
  ];
  const faults = held.flatMap(([name, entries]) =>
    entries
      .filter((entry) => !jobs.has(entry) && jobs.get(entry.slice(0, ULID_BYTES))?.entry !== entry)
      .map((entry) => `${entry} stands in ${name} without a job`),
  );
  for (const ghost of knownGhosts) if (!ghosts.includes(ghost)) faults.push(`the ghost ${ghost} stands in no list`);
  if (new Set(ghosts).size !== ghosts.length) faults.push('a ghost stands in a list more than once');
  return faults;
}

function placesOf(
  lists: ReadonlyMap<string, readonly string[]>,
  sets: ReadonlyMap<string, ReadonlyMap<string, number>>,
): ReadonlyMap<string, string[]> {
  const places = new Map<string, string[]>();
  const stands = (ulid: string, name: string): void => {
    places.set(ulid, [...(places.get(ulid) ?? []), name]);
  };
  for (const [name, entries] of lists) for (const entry of entries) stands(entry.slice(0, ULID_BYTES), name);
  for (const [name, scores] of sets) if (name !== 'expiring') for (const ulid of scores.keys()) stands(ulid, name);
  return places;
}

const standsInLine = (record: Buffer): boolean => record.toString('latin1', 1, 2) === 'q';

/** The generation is nobody's business but the lists'. */
function entryOf(entry: string, record: Buffer): string {
  const generation = record.readUInt16LE(13);
  return generation === 0 ? entry.slice(0, ULID_BYTES) : `${entry.slice(0, ULID_BYTES)}#${generation}`;
}

function entriesOf(value: StoredValue | undefined): readonly string[] {
  return value !== undefined && 'entries' in value ? value.entries : [];
}

function outgoingOf(value: StoredValue | undefined): readonly Outgoing[] {
  return value?.kind === 'list' ? value.bytes.map(decodeOutgoing) : [];
}

function scoresOf(value: StoredValue | undefined): ReadonlyMap<string, number> {
  return value !== undefined && 'scores' in value ? value.scores : new Map<string, number>();
}

function textsOf(value: StoredValue | undefined): ReadonlyMap<string, string> {
  if (value === undefined || !('fields' in value)) return new Map();
  return new Map([...value.fields].map(([field, bytes]) => [field, bytes.toString()]));
}

function bytesOf(value: StoredValue): Buffer {
  if (value.kind === 'string') return value.bytes;
  throw new Error(`A string was expected, not a ${value.kind}.`);
}
