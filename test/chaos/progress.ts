import { setTimeout as pause } from 'node:timers/promises';
import type { Fault } from './ledger/entries.js';
import type { Ledger } from './ledger/ledger.js';

const EVERY_MS = 10_000;

/** Tells whoever looks on what goes on, each line with the time since the begin. */
export class Progress {
  private readonly began = performance.now();

  constructor(private readonly write: (line: string) => void) {}

  say(text: string): void {
    const seconds = (performance.now() - this.began) / 1_000;
    this.write(`${seconds.toFixed(1).padStart(6)} s  ${text}`);
  }

  sayFault({ kind, fromMs, untilMs, processes = [] }: Fault): void {
    const length = untilMs > fromMs ? [`for ${((untilMs - fromMs) / 1_000).toFixed(1)} s`] : [];
    this.say([kind, ...processes, ...length].join(' '));
  }

  /** Tells every ten seconds how much the ledgers hold, until `signal`. */
  async follow(ledger: Ledger, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(EVERY_MS, undefined, { signal }).catch(() => undefined);
      const [accepted, resent, notes] = await Promise.all([
        ledger.count('accepted'),
        ledger.count('unanswered'),
        ledger.count('runs'),
      ]);
      this.say(`accepted ${accepted}, sent again ${resent}, starts and ends of runs ${notes}`);
    }
  }
}
