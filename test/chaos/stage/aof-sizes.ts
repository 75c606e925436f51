import { readdirSync, statSync, truncateSync } from 'node:fs';
import { join } from 'node:path';

const EVERY_MS = 50;
/** `everysec` may hold back a write for as long while the disk is busy with an earlier one. */
const LOST_MS = 2_000;

/** Remembers how long the append-only file was, so that what a loss of power would take can be cut off. */
export class AofSizes {
  private sizes: { readonly atMs: number; readonly bytes: number }[] = [];
  private timer: NodeJS.Timeout | undefined;

  constructor(private readonly folder: string) {
    this.begin();
  }

  begin(): void {
    this.end();
    this.sizes = [];
    this.look();
    this.timer = setInterval(() => {
      this.look();
    }, EVERY_MS);
  }

  end(): void {
    clearInterval(this.timer);
  }

  /** Gives the file of a server that was killed then the size that it had two seconds before, or at its start; resolves to when that was. */
  cutBack(killedAtMs: number): number {
    this.end();
    const kept = this.sizes.findLast(({ atMs }) => atMs <= killedAtMs - LOST_MS) ?? this.sizes[0];
    if (kept === undefined) throw new Error('Nobody looked at the append-only file.');
    truncateSync(this.file(), kept.bytes);
    return kept.atMs;
  }

  private look(): void {
    const atMs = Date.now();
    this.sizes.push({ atMs, bytes: statSync(this.file()).size });
    if (this.sizes.length > 2 * MOST) this.sizes = this.sizes.slice(-MOST);
  }

  private file(): string {
    const folder = join(this.folder, 'appendonlydir');
    const name = readdirSync(folder).find((file) => file.endsWith('.incr.aof'));
    if (name === undefined) throw new Error(`There is no append-only file in ${folder}.`);
    return join(folder, name);
  }
}

const MOST = (2 * LOST_MS) / EVERY_MS;
