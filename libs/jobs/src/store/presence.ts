import type { Link } from './link.js';
import { UnreadableRecordError } from './record.js';
import { asArray, asText } from './reply.js';
import { Script } from './script.js';

const announceScript = new Script('presence');
const workersScript = new Script('workers');

/** What a worker says of itself. */
export interface WorkerAbout {
  /** Host and process, for people. */
  readonly label: string;
  /** The job types it runs, with the versions of the payloads that it reads. */
  readonly types: Readonly<Record<string, number>>;
}

export interface PresentWorker extends WorkerAbout {
  readonly number: string;
}

/** Says that a worker is there for the next `forMs`; 0 that it leaves. */
export async function announce(link: Link, workerNumber: bigint, about: WorkerAbout, forMs: number): Promise<void> {
  await announceScript.run(
    link.redis,
    [link.presence.clock, link.presence.key],
    [String(workerNumber), forMs, JSON.stringify(about)],
  );
}

/** The workers that are there now. */
export async function presentWorkers(link: Link): Promise<readonly PresentWorker[]> {
  const pairs = asArray(await workersScript.run(link.redis, [link.presence.clock, link.presence.key], [])).map(asText);
  const workers: PresentWorker[] = [];
  for (let i = 0; i < pairs.length; i += 2) workers.push({ number: pairs[i] ?? '', ...parseAbout(pairs[i + 1] ?? '') });
  return workers;
}

function parseAbout(json: string): WorkerAbout {
  try {
    // Written by announce and nobody else.
    return JSON.parse(json) as WorkerAbout;
  } catch (error) {
    throw new UnreadableRecordError('What a worker said of itself is no JSON.', { cause: error });
  }
}
