import type { Note } from '../store/note.js';

/** As many lines as the store keeps of a job. */
const MAX_LINES = 200;

/** A note on its way, and who waits for it. */
export interface Waiting {
  readonly note: Note;
  readonly resolve: () => void;
  readonly reject: (reason: unknown) => void;
}

export interface NotePost {
  /** The notes are to be fetched within so many milliseconds. */
  fetchWithin(notes: RunNotes, ms: number): void;
}

/** Progress and log lines need not be written at once. */
const LAZY_MS = 500;

/** What the handler of one run has told and Redis does not know yet. */
export class RunNotes {
  private progressJson: string | undefined;
  private readonly lines: string[] = [];
  private readonly waiting: Waiting[] = [];
  private over = false;

  constructor(
    readonly type: string,
    private readonly job: { readonly ulid: string; readonly token: Buffer },
    private readonly post: NotePost,
    /** Told that the run's token no longer counts. */
    readonly onStale: () => void,
  ) {}

  get empty(): boolean {
    return this.progressJson === undefined && this.lines.length === 0 && this.waiting.length === 0;
  }

  /** Only the latest is written. */
  progress(json: string): void {
    if (this.over) return;
    this.progressJson = json;
    this.post.fetchWithin(this, LAZY_MS);
  }

  log(json: string): void {
    if (this.over) return;
    this.lines.push(json);
    if (this.lines.length > MAX_LINES) this.lines.shift();
    this.post.fetchWithin(this, LAZY_MS);
  }

  /** Resolves when the note is written. */
  keep(kind: Note['kind'], json: string): Promise<void> {
    const kept = new Promise<void>((resolve, reject) => {
      this.waiting.push({ note: { ...this.job, kind, json }, resolve, reject });
      this.post.fetchWithin(this, 0);
    });
    // A handler that does not wait for it must not end the process.
    kept.catch(() => undefined);
    return kept;
  }

  /** All that is to be written; it is in the caller's hands from now on. */
  take(): Waiting[] {
    const lazy = [
      ...(this.progressJson === undefined ? [] : [{ kind: 'progress' as const, json: this.progressJson }]),
      ...this.lines.map((json) => ({ kind: 'log' as const, json })),
    ];
    this.progressJson = undefined;
    this.lines.length = 0;
    return [
      ...lazy.map((note) => ({ note: { ...this.job, ...note }, resolve: () => undefined, reject: () => undefined })),
      ...this.waiting.splice(0),
    ];
  }

  /** The run is settled: what its handler says from now on is not written. */
  close(): void {
    this.over = true;
  }
}
