/** How often each thing happened that a model of the engine tells apart. */
export class Tally {
  private readonly counts = new Map<string, number>();

  saw(name: string): void {
    this.counts.set(name, (this.counts.get(name) ?? 0) + 1);
  }

  of(name: string): number {
    return this.counts.get(name) ?? 0;
  }

  /** What happened, other things than those named included, as a table. */
  table(names: readonly string[]): string {
    const others = [...this.counts.keys()].filter((name) => !names.includes(name)).sort();
    const cells = [...names, ...others].map((name) => `${String(this.of(name)).padStart(7)}  ${name}`);
    const height = Math.ceil(cells.length / COLUMNS);
    const width = Math.max(...cells.map(({ length }) => length)) + 2;
    const rows = Array.from({ length: height }, (_, row) =>
      Array.from({ length: COLUMNS }, (_cell, column) => (cells[column * height + row] ?? '').padEnd(width))
        .join('')
        .trimEnd(),
    );
    return rows.join('\n');
  }
}

const COLUMNS = 3;

const FINAL = ['succeeded', 'failed', 'cancelled', 'expired'];
const POLICIES = ['ttl', 'until_started', 'until_finished', 'until_result_expires'];

/** All that the test must have seen often enough to be worth its name. */
export const MUST_HAPPEN: readonly string[] = [
  ...['queued', 'scheduled'].map((to) => `enqueue: none → ${to}`),
  ...['scheduled', 'retrying'].map((from) => `promote: ${from} → queued`),
  'claim: queued → processing',
  'succeed: processing → succeeded',
  ...['retrying', 'failed'].map((to) => `retry: processing → ${to}`),
  'bury: processing → failed',
  'snooze: processing → scheduled',
  ...['queued', 'scheduled'].map((to) => `hand_back: processing → ${to}`),
  'handed back unbegun',
  ...['queued', 'failed', 'cancelled'].map((to) => `crash: processing → ${to}`),
  ...['queued', 'failed', 'cancelled'].map((to) => `blocked loop: ${to}`),
  'blocked loop, perhaps by another: queued',
  ...['scheduled', 'queued', 'retrying'].map((from) => `cancel: ${from} → cancelled`),
  'cancel: processing → processing',
  'cancelled run: processing → cancelled',
  'succeeded though asked to stop',
  ...['scheduled', 'queued', 'retrying'].map((from) => `expire: ${from} → expired`),
  'expired at a claim',
  'expired while parked',
  ...FINAL.map((from) => `replay: ${from} → queued`),
  'replayed with another payload',
  'replay refused for a holder',
  ...FINAL.map((status) => `removed: ${status}`),
  ...FINAL.map((status) => `swept: ${status}`),
  'swept: too many failed',
  ...['known', 'expires_before_run', 'too_late', 'events_full', 'duplicate', 'once', 'once_mismatch'].map(
    (kind) => `submit ${kind}`,
  ),
  'once expired',
  ...['refused', 'freed', 'retaken'].flatMap((what) => POLICIES.map((policy) => `dedupe ${what}: ${policy}`)),
  'a new first time told',
  'a time told by who leaves',
  'answered again',
  'refused late',
  'settle stale',
  'parked',
  'unparked',
  'suspect claimed',
  'poison: crashes',
  'poison: crashes in all',
  'crashes forgotten for a checkpoint',
  ...['progress', 'checkpoint', 'log', 'step'].map((kind) => `note: ${kind}`),
  'note stale',
  'lease revived',
  'lease not revived while it is reaped',
  'reaped in part',
  'overdue',
  'timed out by the reaper',
  ...FINAL.map((status) => `event: ${status}`),
  'end that no webhook asks for',
  'events handed on',
  'events handed on by another before',
  'idle worker forgotten',
  'worker in doubt',
  'rolled back',
  'rollback reconciled',
];
