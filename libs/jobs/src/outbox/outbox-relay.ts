import { Inject, Injectable } from '@nestjs/common';
import { formatJobId } from '../definition/job-id.js';
import type { Ticking } from '../runtime/loop.js';
import { EnqueueBatcher, type Outcome } from '../services/enqueue-batcher.js';
import { PRODUCER_OPTIONS, type ProducerOptions } from '../services/producer-options.js';
import type { Enqueued } from '../store/enqueue.js';
import { JobJournal } from '../telemetry/job-journal.js';
import { decodeEntry, type ReadyJob } from './outbox-entry.js';
import { OutboxMetrics } from './outbox-metrics.js';
import { OutboxStore, type TakenRow } from './outbox-store.js';

const BATCH = 64;
/** Longer than a call to Redis may take: rows of a relay that is gone are taken by another after this. */
const LEASE_MS = 10_000;
/** While Redis is away; the loop itself backs off as well. */
const AWAY_MS = 500;
/** For rows that cannot be handed on now for a reason of their own. */
const REFUSED_MS = 30_000;

interface Ready extends ReadyJob {
  readonly row: TakenRow;
}

/**
 * Hands the jobs of the outbox to Redis, oldest first, and after them those again that it could not hand on. A row goes only when its
 * job was accepted; handed on twice, by a relay that was killed in between, it gives one job. Several relays share the work.
 */
@Injectable()
export class OutboxRelay<Tx> implements Ticking {
  constructor(
    private readonly store: OutboxStore<Tx>,
    private readonly batcher: EnqueueBatcher,
    private readonly journal: JobJournal,
    private readonly metrics: OutboxMetrics,
    @Inject(PRODUCER_OPTIONS) private readonly options: Pick<ProducerOptions, 'logger'>,
  ) {}

  /** @throws QueueUnavailableError when a row could not be handed on: it is still there. */
  async tick(): Promise<number> {
    const rows = await this.store.take(BATCH, LEASE_MS);
    const ready = rows.flatMap((row) => this.read(row) ?? []);
    const handed = (await Promise.all(byType(ready).map(([type, jobs]) => this.handOn(type, jobs)))).flat();
    const has = (fate: Fate) => handed.filter((each) => each.fate === fate).map(({ row }) => row.jobId);
    const unread = rows.filter((row) => !ready.some((each) => each.row === row)).map(({ jobId }) => jobId);
    await this.store.remove(has('done'));
    await this.store.putBack(has('away'), AWAY_MS);
    await this.store.putBack([...has('refused'), ...unread], REFUSED_MS);
    await this.metrics.tell(this.store);
    const failed = handed.find(({ error }) => error !== undefined);
    if (failed !== undefined) throw failed.error;
    return rows.length === BATCH ? 0 : this.store.pollMs;
  }

  private read(row: TakenRow): Ready | undefined {
    try {
      return { row, ...decodeEntry(row) };
    } catch (error) {
      this.options.logger.error({ job_id: row.jobId, err: error }, 'a job of the outbox cannot be read, it stays there');
      return undefined;
    }
  }

  private async handOn(type: string, ready: readonly Ready[]): Promise<readonly Handed[]> {
    const outcomes = await this.batcher.addAll(type, ready);
    return ready.map((each, nth) => {
      const outcome = outcomes[nth] ?? { error: new TypeError('Fewer answers came than jobs were sent.') };
      this.tell(each, outcome);
      return { row: each.row, ...fateOf(outcome) };
    });
  }

  private tell({ row: { jobId, type }, record: { trace, facts } }: Ready, outcome: Outcome): void {
    if ('error' in outcome) return;
    switch (outcome.kind) {
      case 'accepted':
        this.journal.submitted({ jobId, type, trace, requestId: facts.requestId, status: outcome.status });
        return;
      case 'duplicate': {
        const holder = formatJobId({ type, ulid: outcome.ulid });
        this.options.logger.info({ job_id: jobId, holder }, 'a job of the outbox was dropped, another holds its dedupe key');
        return;
      }
      case 'known':
      case 'once':
        return;
      case 'once_mismatch':
      case 'events_full':
      case 'too_late':
      case 'expires_before_run':
        this.options.logger.warn(
          { job_id: jobId, reason: outcome.kind },
          'a job of the outbox was not accepted, it will be tried again',
        );
    }
  }
}

type Fate = 'done' | 'away' | 'refused';

interface Handed {
  readonly row: TakenRow;
  readonly fate: Fate;
  readonly error?: unknown;
}

const FATES: Readonly<Record<Enqueued['kind'], Fate>> = {
  accepted: 'done',
  known: 'done',
  once: 'done',
  duplicate: 'done',
  once_mismatch: 'refused',
  events_full: 'refused',
  too_late: 'refused',
  expires_before_run: 'refused',
};

function fateOf(outcome: Outcome): Omit<Handed, 'row'> {
  return 'error' in outcome ? { fate: 'away', error: outcome.error } : { fate: FATES[outcome.kind] };
}

function byType(ready: readonly Ready[]): readonly (readonly [string, readonly Ready[]])[] {
  const types = new Map<string, Ready[]>();
  for (const each of ready) {
    const { type } = each.row;
    const others = types.get(type);
    if (others === undefined) types.set(type, [each]);
    else others.push(each);
  }
  return [...types];
}
