import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Sets the wall clock of one place's processes by libfaketime; their monotonic one goes on. */
export class FakeClock {
  private readonly file: string;

  constructor(
    private readonly library: string,
    folder: string,
    name: string,
  ) {
    this.file = join(folder, `${name}.clock`);
    this.set(0);
  }

  /** What a process needs in its environment for its clock to be set. */
  get env(): Readonly<Record<string, string>> {
    return {
      LD_PRELOAD: this.library,
      FAKETIME_TIMESTAMP_FILE: this.file,
      // It looks into the file again after this many seconds.
      FAKETIME_CACHE_DURATION: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      // It would make a shared memory for all its children, which a killed process leaves.
      FAKETIME_NO_CACHE: '0',
    };
  }

  set(offsetSec: number): void {
    writeFileSync(this.file, `${offsetSec < 0 ? '-' : '+'}${Math.abs(offsetSec)}\n`);
  }
}
