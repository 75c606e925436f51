import { isLive, type Job, type Token } from './job.js';
import type { Queue } from './queue.js';

/** What a handler tells of its job while it runs. */
export interface Note {
  readonly ulid: string;
  readonly token: Token;
  readonly kind: 'progress' | 'checkpoint' | 'log' | `step:${string}`;
  readonly json: string;
}

/** For each whether it was written: only under the token of the run that goes on. All notes of a job in a call are one change of it. */
export function write(queue: Queue, notes: readonly Note[], now: number): boolean[] {
  const changed = new Set<Job>();
  const written = notes.map((note) => {
    const job = queue.jobs.get(note.ulid);
    const live = isLive(job, note.token);
    queue.tally.saw(live ? `note: ${note.kind.split(':')[0] ?? ''}` : 'note stale');
    if (!live) return false;
    writeOne(queue, job, note, now);
    changed.add(job);
    return true;
  });
  for (const job of changed) job.revision += 1;
  return written;
}

function writeOne(queue: Queue, job: Job, { kind, json }: Note, now: number): void {
  switch (kind) {
    case 'progress':
      job.progress = { at: now, json };
      break;
    case 'log':
      job.log.push({ at: now, json });
      break;
    case 'checkpoint':
      if (json !== job.checkpoint) queue.endRow(job, 'a checkpoint');
      job.checkpoint = json;
      break;
    default:
      job.steps.set(kind.slice('step:'.length), json);
  }
}
