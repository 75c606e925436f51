import { Injectable } from '@nestjs/common';
import { endsWithin } from '@antrean/platform';
import { Link } from '../store/link.js';
import type { Ticking } from './loop.js';
import { NoteQueue } from './note-queue.js';
import type { NotePost, RunNotes } from './run-notes.js';

/** The last notes of a run may hold up its settle for so long. */
const PATIENCE_MS = 1_000;
/** A type whose Redis does not answer holds up what is told of others for so long. */
const TURN_MS = 100;
const MAX_SLEEP_MS = 60_000;

/** Writes what running handlers tell of their jobs, that of many runs in one call. */
@Injectable()
export class NoteWriter implements Ticking, NotePost {
  /** Told how soon a tick is wanted. */
  onWork: (inMs: number) => void = () => undefined;
  private readonly queues = new Map<string, NoteQueue>();

  constructor(private readonly link: Link) {}

  fetchWithin(notes: RunNotes, ms: number): void {
    this.queueOf(notes.type).add(notes);
    this.onWork(ms);
  }

  /** @throws when Redis is away; what could not be written is kept for the next tick. */
  async tick(): Promise<number> {
    const written = Promise.all([...this.queues.values()].map((queue) => queue.write()));
    return (await endsWithin(written, TURN_MS)) ? MAX_SLEEP_MS : 0;
  }

  /** Writes what a run has told before it is settled, but does not hold the settle up for long; a tick writes the rest. */
  async flush(notes: RunNotes): Promise<void> {
    if (notes.empty) return;
    const queue = this.queueOf(notes.type);
    queue.add(notes);
    await endsWithin(
      queue.write().catch(() => undefined),
      PATIENCE_MS,
    );
  }

  private queueOf(type: string): NoteQueue {
    let queue = this.queues.get(type);
    if (queue === undefined) {
      queue = new NoteQueue(this.link, type);
      this.queues.set(type, queue);
    }
    return queue;
  }
}
