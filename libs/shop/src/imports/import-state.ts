/** How far an import has come: its checkpoint and what it counted. */
export interface ImportState {
  readonly jobId: string;
  /** Tells the file from one that replaced it under the same name. */
  readonly fileTag: string;
  /** Where to go on, as the importer said with the last chunk; undefined at the start. JSON. */
  readonly place: unknown;
  readonly bytesRead: number;
  readonly bytesTotal: number;
  /** Rows of the file so far: those imported, updated and rejected together. */
  readonly read: number;
  readonly imported: number;
  readonly updated: number;
  readonly rejected: number;
  readonly finishedAt: Date | null;
}

/** What one chunk adds to an import. */
export interface ImportChunk {
  /** Where in the file the next chunk begins. */
  readonly bytesRead: number;
  /** The same for the importer, with what it has to know of what was before. JSON. */
  readonly place: unknown;
  readonly imported: number;
  readonly updated: number;
  readonly rejects: readonly ImportReject[];
}

/** A row that was not imported. */
export interface ImportReject {
  /** From 1, the header's. */
  readonly line: number;
  /** The header's name; null when the fault is that of the whole row. */
  readonly column: string | null;
  readonly reason: string;
  /** As it stands in the file. */
  readonly row: string;
}

/** Another run has gone on with the import, or it is over: this one is to write no more. */
export class StaleImportError extends Error {
  override readonly name = 'StaleImportError';
  readonly code = 'stale_import';

  constructor(jobId: string, read: number) {
    super(`The import ${jobId} has gone on from row ${read} without this run.`);
  }
}
