import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { jobFolder, type JobContext } from '@antrean/jobs';
import { Storage, parseStorageName, type StorageName } from '@antrean/platform';
import type { Period } from '@antrean/shop';
import { MissingCharacters } from '../documents/missing-characters.js';
import { inTrouble } from '../outages/in-trouble.js';

/** A document that a job is to write. */
export interface DocumentPlan<Row> {
  /** What the file is called, without its ending. */
  readonly name: string;
  /** The ending. */
  readonly format: string;
  /** The oldest first. */
  readonly rows: AsyncIterable<Row>;
  readonly period: Period;
  /** Makes the document's bytes; asks for rows as the bytes are taken. */
  readonly bytesOf: (rows: AsyncIterable<Row>, missing: MissingCharacters) => AsyncIterable<Buffer>;
}

/** The result of a job that has written a document. */
export interface WrittenDocument {
  readonly file_key: StorageName;
  readonly rows: number;
  readonly bytes: number;
  readonly format: string;
}

type Context = Pick<JobContext, 'jobId' | 'run' | 'signal' | 'progress' | 'log'>;

const ROWS_PER_TURN = 1_000;

/** The files that jobs write into their folders: `<name>.<format>`. A later run replaces what an earlier one wrote. */
@Injectable()
export class DocumentFiles {
  constructor(private readonly storage: Storage) {}

  /**
   * @throws {PermanentError} the storage will refuse the next run, too
   * @throws {Snooze} the database or the storage is in trouble. Whatever is thrown, there is no new file.
   */
  async write<Row extends { readonly createdAt: Date }>(context: Context, plan: DocumentPlan<Row>): Promise<WrittenDocument> {
    const { format, bytesOf, rows, period } = plan;
    const counted = new CountedRows(rows, period.to ?? new Date(), context);
    const missing = new MissingCharacters();
    const file = nameOf(context.jobId, plan);
    const written = this.storage.write(file, bytesOf(counted, missing), { signal: context.signal });
    const { size: bytes } = await written.catch(inTrouble(context));
    missing.tell(context.log);
    return { file_key: file, rows: counted.count, bytes, format };
  }
}

/** Rows on their way into a document: they are counted and told of, and the signal gets its turn. */
class CountedRows<Row extends { readonly createdAt: Date }> implements AsyncIterable<Row> {
  count = 0;

  constructor(
    private readonly rows: AsyncIterable<Row>,
    private readonly end: Date,
    private readonly context: Context,
  ) {}

  async *[Symbol.asyncIterator](): AsyncGenerator<Row> {
    let start: number | undefined;
    for await (const row of this.rows) {
      const time = row.createdAt.getTime();
      start ??= time;
      yield row;
      this.count += 1;
      if (this.count % ROWS_PER_TURN !== 0) continue;
      this.tell((time - start) / Math.max(this.end.getTime() - start, 1));
      await nextTurn();
      this.context.signal.throwIfAborted();
    }
  }

  /** How many rows there are is not known beforehand: it is the time gone through that tells how far it is. */
  private tell(part: number): void {
    const percent = Math.min(Math.max(100 * part, 0), 99);
    this.context.progress(percent, `${this.count} rows written`, { rows: this.count });
  }
}

function nameOf(jobId: string, { name, format }: Pick<DocumentPlan<never>, 'name' | 'format'>): StorageName {
  return parseStorageName(`${jobFolder(jobId)}/${name}.${format}`);
}
