import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { JobAbortedError } from '../definition/errors.js';
import { isRedisAway } from '../store/availability.js';
import { MAX_BYTES_PER_CALL, MAX_JOBS_PER_CALL } from '../store/bounds.js';
import { Link } from '../store/link.js';
import { note } from '../store/note.js';
import type { Ticking } from './loop.js';
import type { NotePost, RunNotes, Waiting } from './run-notes.js';

/** The last notes of a run may hold up its settle for so long. */
const PATIENCE_MS = 1_000;
const MAX_SLEEP_MS = 60_000;

interface Batch {
  readonly type: string;
  readonly entries: (Waiting & { readonly from: RunNotes })[];
  bytes: number;
}

/** Writes what running handlers tell of their jobs, that of many runs in one call. */
@Injectable()
export class NoteWriter implements Ticking, NotePost {
  /** Told how soon a tick is wanted. */
  onWork: (inMs: number) => void = () => undefined;
  private readonly told = new Set<RunNotes>();
  /** What could not be written yet. */
  private readonly batches: Batch[] = [];

  constructor(private readonly link: Link) {}

  fetchWithin(notes: RunNotes, ms: number): void {
    this.told.add(notes);
    this.onWork(ms);
  }

  async tick(): Promise<number> {
    this.batches.push(...batchesOf(this.told));
    this.told.clear();
    for (let batch = this.batches[0]; batch !== undefined; batch = this.batches[0]) {
      await this.write(batch);
      this.batches.shift();
    }
    return MAX_SLEEP_MS;
  }

  /** Writes what a run has told before it is settled, but does not hold the settle up for long. */
  async flush(notes: RunNotes): Promise<void> {
    if (notes.empty) return;
    this.told.delete(notes);
    const written = Promise.all(batchesOf([notes]).map((batch) => this.write(batch)));
    await Promise.race([written.catch(() => undefined), sleep(PATIENCE_MS, undefined, { ref: false })]);
  }

  /** @throws when Redis is away; nobody was answered then. */
  private async write({ type, entries }: Batch): Promise<void> {
    let written: readonly boolean[];
    try {
      written = await note(
        this.link,
        type,
        entries.map((entry) => entry.note),
      );
    } catch (error) {
      if (isRedisAway(error)) throw error;
      for (const { reject } of entries) reject(error);
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
}

function batchesOf(told: Iterable<RunNotes>): Batch[] {
  const batches: Batch[] = [];
  for (const notes of told) {
    for (const waiting of notes.take()) {
      const bytes = Buffer.byteLength(waiting.note.json);
      const open = batches.findLast(({ type }) => type === notes.type);
      const fits = open !== undefined && open.entries.length < MAX_JOBS_PER_CALL && open.bytes + bytes <= MAX_BYTES_PER_CALL;
      const batch = fits ? open : { type: notes.type, entries: [], bytes: 0 };
      if (!fits) batches.push(batch);
      batch.entries.push({ ...waiting, from: notes });
      batch.bytes += bytes;
    }
  }
  return batches;
}
