import { Injectable } from '@nestjs/common';
import type { Selectable } from 'kysely';
import { Database, type ShopTransaction } from '../database/database.js';
import { inChunks } from '../database/in-chunks.js';
import { inPages } from '../database/in-pages.js';
import type { ImportRejectsTable, ImportsTable } from '../database/tables.js';
import { StaleImportError, type ImportChunk, type ImportReject, type ImportState } from './import-state.js';

/** Others get their turn at the database in between. */
const REJECTS_AT_ONCE = 2_000;

/** The imports of files: their checkpoints move in the transactions that write what was read. */
@Injectable()
export class Imports {
  constructor(private readonly database: Database) {}

  /** Begins an import, or finds how far an earlier run of the job came. */
  async open(job: Pick<ImportState, 'jobId' | 'fileTag' | 'bytesTotal'>): Promise<ImportState> {
    const { jobId, fileTag, bytesTotal } = job;
    const counts = { bytes_read: 0, read: 0, imported: 0, updated: 0, rejected: 0 };
    const begun = {
      job_id: jobId,
      file_tag: fileTag,
      place: null,
      bytes_total: bytesTotal,
      ...counts,
      finished_at: null,
    };
    return this.database.transaction(async (transaction) => {
      await transaction
        .insertInto('imports')
        .values(begun)
        .onConflict((conflict) => conflict.column('job_id').doNothing())
        .execute();
      const row = await transaction.selectFrom('imports').selectAll().where('job_id', '=', jobId).executeTakeFirstOrThrow();
      return stateOf(row);
    });
  }

  async get(jobId: string): Promise<ImportState | undefined> {
    const row = await this.database.tables.selectFrom('imports').selectAll().where('job_id', '=', jobId).executeTakeFirst();
    return row && stateOf(row);
  }

  /**
   * Moves the checkpoint on by a chunk, in the transaction that writes its customers.
   * @param from the state that the chunk was read from.
   * @returns the state after it, to go on from.
   * @throws {StaleImportError} when another run has gone on from there: nothing of the transaction is to stay.
   */
  async advance(transaction: ShopTransaction, from: ImportState, chunk: ImportChunk): Promise<ImportState> {
    const { jobId } = from;
    const after = afterChunk(from, chunk);
    const { bytesRead, read, imported, updated, rejected } = after;
    const { numUpdatedRows } = await transaction
      .updateTable('imports')
      .set({ bytes_read: bytesRead, place: JSON.stringify(chunk.place), read, imported, updated, rejected })
      .where('job_id', '=', jobId)
      .where('read', '=', from.read)
      .where('finished_at', 'is', null)
      .executeTakeFirstOrThrow();
    if (numUpdatedRows === 0n) throw new StaleImportError(jobId, from.read);
    const rejects = chunk.rejects.map(({ line, column, reason, row }, index) => ({
      job_id: jobId,
      number: from.rejected + index + 1,
      line,
      column_name: column,
      reason,
      // Neither database keeps it in a text.
      row_text: row.replaceAll('\0', '\ufffd'),
    }));
    for (const part of inChunks(rejects)) await transaction.insertInto('import_rejects').values(part).execute();
    return after;
  }

  /** The whole file is read. Said twice it is no error. @throws {StaleImportError} */
  async finish(from: ImportState): Promise<ImportState> {
    const { jobId, read } = from;
    await this.database.transaction(async (transaction) => {
      const { numUpdatedRows } = await transaction
        .updateTable('imports')
        // Blank rows after the last are in no chunk.
        .set((row) => ({
          finished_at: row.fn.coalesce('finished_at', this.database.engine.now),
          bytes_read: row.ref('bytes_total'),
        }))
        .where('job_id', '=', jobId)
        .where('read', '=', read)
        .executeTakeFirstOrThrow();
      if (numUpdatedRows === 0n) throw new StaleImportError(jobId, read);
    });
    return (await this.get(jobId)) ?? from;
  }

  /** In the order of the file, in constant memory. */
  async *rejects(jobId: string): AsyncGenerator<ImportReject, void, void> {
    const rows = inPages<Selectable<ImportRejectsTable>>((after, limit) =>
      this.database.tables
        .selectFrom('import_rejects')
        .selectAll()
        .where('job_id', '=', jobId)
        .where('number', '>', after?.number ?? 0)
        .orderBy('number')
        .limit(limit)
        .execute(),
    );
    for await (const { line, column_name, reason, row_text } of rows) yield { line, column: column_name, reason, row: row_text };
  }

  /** Of the jobs that have an import here, in constant memory. */
  async *jobIds(): AsyncGenerator<string, void, void> {
    const rows = inPages<{ readonly job_id: string }>((after, limit) =>
      this.database.tables
        .selectFrom('imports')
        .select('job_id')
        .where('job_id', '>', after?.job_id ?? '')
        .orderBy('job_id')
        .limit(limit)
        .execute(),
    );
    for await (const { job_id } of rows) yield job_id;
  }

  /** Forgets the import of a job and its rejects, not the customers, and answers whether it was there. */
  async remove(jobId: string): Promise<boolean> {
    for (let removed = REJECTS_AT_ONCE; removed === REJECTS_AT_ONCE;) {
      removed = await this.database.transaction((transaction) => removeRejects(transaction, jobId));
    }
    const { numDeletedRows } = await this.database.transaction((transaction) =>
      transaction.deleteFrom('imports').where('job_id', '=', jobId).executeTakeFirst(),
    );
    return numDeletedRows > 0n;
  }
}

async function removeRejects(transaction: ShopTransaction, jobId: string): Promise<number> {
  const { numDeletedRows } = await transaction
    .deleteFrom('import_rejects')
    .where('job_id', '=', jobId)
    .where('number', 'in', (eb) =>
      eb.selectFrom('import_rejects').select('number').where('job_id', '=', jobId).orderBy('number').limit(REJECTS_AT_ONCE),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

function afterChunk(from: ImportState, { bytesRead, place, imported, updated, rejects }: ImportChunk): ImportState {
  return {
    ...from,
    bytesRead,
    place,
    read: from.read + imported + updated + rejects.length,
    imported: from.imported + imported,
    updated: from.updated + updated,
    rejected: from.rejected + rejects.length,
  };
}

function stateOf(row: Selectable<ImportsTable>): ImportState {
  const { job_id, file_tag, place, bytes_read, bytes_total, read, imported, updated, rejected, finished_at } = row;
  return {
    jobId: job_id,
    fileTag: file_tag,
    place: place === null ? undefined : (JSON.parse(place) as unknown),
    bytesRead: bytes_read,
    bytesTotal: bytes_total,
    read,
    imported,
    updated,
    rejected,
    finishedAt: finished_at === null ? null : new Date(finished_at),
  };
}
