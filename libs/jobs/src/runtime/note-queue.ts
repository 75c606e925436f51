import { JobAbortedError } from '../definition/errors.js';
import { isRedisTrouble } from '../store/availability.js';
import { MAX_BYTES_PER_CALL, MAX_JOBS_PER_CALL } from '../store/bounds.js';
import type { Link } from '../store/link.js';
import { note } from '../store/note.js';
import type { RunNotes, Waiting } from './run-notes.js';

interface Batch {
  readonly entries: (Waiting & { readonly from: RunNotes })[];
  bytes: number;
}

/** What runs of one type have told, on its way to Redis. */
export class NoteQueue {
  private readonly told = new Set<RunNotes>();
  /** Taken from their runs and not written yet. */
  private batches: Batch[] = [];
  private writing: Promise<void> | undefined;

  constructor(
    private readonly link: Link,
    private readonly type: string,
  ) {}

  add(notes: RunNotes): void {
    this.told.add(notes);
  }

  /**
   * Resolves when all that was told is written.
   * @throws when Redis is away or refuses; nobody was answered then, and what is not written stays here.
   */
  write(): Promise<void> {
    this.writing ??= this.writeAll();
    return this.writing;
  }

  private async writeAll(): Promise<void> {
    // So that it does not end before `writing` is set; runs that end together share a call.
    await Promise.resolve();
    try {
      for (let batch = this.next(); batch !== undefined; batch = this.next()) {
        await this.send(batch);
        this.batches.shift();
      }
    } finally {
      this.writing = undefined;
    }
  }

  /** What cannot be written leaves the rest with the runs, which keep no more than their latest. */
  private next(): Batch | undefined {
    if (this.batches.length === 0) {
      this.batches = batchesOf(this.told);
      this.told.clear();
    }
    return this.batches[0];
  }

  private async send({ entries }: Batch): Promise<void> {
    let written: readonly boolean[];
    try {
      written = await note(
        this.link,
        this.type,
        entries.map((entry) => entry.note),
      );
    } catch (error) {
      if (isRedisTrouble(error)) throw error;
      if (entries.length > 1) await this.sendEach(entries);
      else for (const { reject } of entries) reject(error);
      return;
    }
    entries.forEach(({ from, resolve, reject }, index) => {
      if (written[index] === true) {
        resolve();
        return;
      }
      from.onStale();
      reject(new JobAbortedError('lease_lost'));
    });
  }

  /** What is spoilt of one job must not fail the notes of others. Nothing of a call that fails was written. */
  private async sendEach(entries: Batch['entries']): Promise<void> {
    // What was answered is gone from here, so that none is sent twice when Redis goes away in between.
    while (entries.length > 0) {
      await this.send({ entries: entries.slice(0, 1), bytes: 0 });
      entries.shift();
    }
  }
}

function batchesOf(told: Iterable<RunNotes>): Batch[] {
  const batches: Batch[] = [];
  for (const notes of told) {
    for (const waiting of notes.take()) {
      const bytes = Buffer.byteLength(waiting.note.json);
      const open = batches.at(-1);
      const fits = open !== undefined && open.entries.length < MAX_JOBS_PER_CALL && open.bytes + bytes <= MAX_BYTES_PER_CALL;
      const batch = fits ? open : { entries: [], bytes: 0 };
      if (!fits) batches.push(batch);
      batch.entries.push({ ...waiting, from: notes });
      batch.bytes += bytes;
    }
  }
  return batches;
}
