import { ULID_BYTES } from '../definition/job-id.js';

/** How a run ends, as the worker reports it. `json` is the result of a success, else the error, both as JSON. */
export type Settlement =
  | { readonly event: 'succeed'; readonly json: string }
  | { readonly event: 'retry'; readonly outcome: 'failed' | 'timed_out'; readonly delayMs: number; readonly json: string }
  | { readonly event: 'bury'; readonly outcome: 'failed' | 'timed_out'; readonly json: string }
  | { readonly event: 'snooze'; readonly delayMs: number; readonly json: string }
  /** Goes back uncounted: at once to the front of its line, or after a delay. A run that never began leaves no trace. */
  | { readonly event: 'hand_back'; readonly delayMs: number; readonly neverBegan?: true };

export interface Settle {
  readonly ulid: string;
  readonly token: Buffer;
  readonly settlement: Settlement;
}

/** Ulid, token, letters of event and outcome, delay, length of the JSON. */
const HEAD_BYTES = ULID_BYTES + 14 + 1 + 1 + 6 + 4;

/** Settles in the form that exchange.lua takes, one behind the other: one argument costs both sides less than six a job. */
export function packSettles(settles: readonly Settle[]): Buffer {
  const jsonBytes = settles.map(({ settlement }) => ('json' in settlement ? Buffer.byteLength(settlement.json) : 0));
  const packed = Buffer.allocUnsafe(jsonBytes.reduce((sum, bytes) => sum + HEAD_BYTES + bytes, 0));
  let at = 0;
  settles.forEach(({ ulid, token, settlement }, index) => {
    const bytes = jsonBytes[index] ?? 0;
    packed.write(ulid, at, 'latin1');
    token.copy(packed, at + ULID_BYTES);
    packed.write(lettersOf(settlement), at + 40, 'latin1');
    packed.writeUIntLE('delayMs' in settlement ? settlement.delayMs : 0, at + 42, 6);
    packed.writeUInt32LE(bytes, at + 48);
    if (bytes > 0 && 'json' in settlement) packed.write(settlement.json, at + HEAD_BYTES);
    at += HEAD_BYTES + bytes;
  });
  return packed;
}

/** As exchange.lua names them. */
function lettersOf(settlement: Settlement): string {
  switch (settlement.event) {
    case 'succeed':
      return 'SS';
    case 'retry':
      return settlement.outcome === 'timed_out' ? 'rt' : 'rf';
    case 'bury':
      return settlement.outcome === 'timed_out' ? 'Ft' : 'Ff';
    case 'snooze':
      return 'ss';
    case 'hand_back':
      return settlement.neverBegan === true ? 'q-' : 'qh';
  }
}
