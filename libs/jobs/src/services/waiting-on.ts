import type { PresentWorker } from '../store/presence.js';
import type { Snapshot } from '../store/read.js';
import type { WaitingOn } from './job.js';

/** Why a job of the type does not run; null when it runs or has ended. `workers` are asked for a queued job only; undefined: unknown. */
export function waitingOn(type: string, snapshot: Snapshot, workers: readonly PresentWorker[] | undefined): WaitingOn | null {
  const { record } = snapshot;
  switch (record.status) {
    case 'scheduled':
      return { reason: 'schedule', detail: 'It waits for its time.', until: new Date(record.dueAt), position: null };
    case 'retrying':
      return {
        reason: 'backoff',
        detail: 'It failed and waits before it is tried again.',
        until: new Date(record.dueAt),
        position: null,
      };
    case 'queued':
      return (workers && noWorker(type, snapshot, workers)) ?? aWorker(snapshot);
    case 'processing':
    case 'succeeded':
    case 'failed':
    case 'cancelled':
    case 'expired':
      return null;
  }
}

function noWorker(type: string, snapshot: Snapshot, workers: readonly PresentWorker[]): WaitingOn | undefined {
  const { payloadVersion } = snapshot.record;
  const versions = workers.flatMap(({ types }) => types[type] ?? []);
  if (versions.some((version) => version >= payloadVersion)) return undefined;
  const detail =
    versions.length === 0
      ? `No live worker runs ${type}.`
      : `Its payload is of version ${payloadVersion}, and the live workers of ${type} read version ${Math.max(...versions)} at most.`;
  return { reason: 'no_worker', detail, until: null, position: positionOf(snapshot) };
}

function aWorker(snapshot: Snapshot): WaitingOn {
  const position = positionOf(snapshot);
  const detail = `It waits for a free worker, at about place ${position} of its line.`;
  return { reason: 'worker', detail, until: null, position };
}

function positionOf({ record, headSeq, parked }: Snapshot): number {
  return headSeq === undefined || parked ? 1 : Math.max(record.seq - headSeq + 1, 1);
}
