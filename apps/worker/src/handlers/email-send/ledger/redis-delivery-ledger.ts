import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { OnApplicationShutdown } from '@nestjs/common';
import { SendEmail } from '@antrean/catalog';
import { isRedisTrouble, toMs } from '@antrean/jobs';
import { closeRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { DeliveryLedger, LedgerAwayError, type BeginOutcome, type Delivery, type OnUnknown } from './delivery-ledger.js';

/** How long after its last change a mail is remembered. */
const RETENTION_MS = toMs('30d');
/** A mark of another job that is younger may belong to a run that is alive: the default timeout, its grace and room. */
const LIVE_MARK_MS = toMs('2m');
/** How long a mail waits for its mark, at least: half of the default timeout. Time is left for the mail itself. */
const PATIENCE_MS = toMs('15s');
/** The wait between two tries doubles up to this. */
const LONGEST_REST_MS = 1_000;

/**
 * Keeps the ledger in Redis, a small hash a mail under `<prefix>:{email.send}:delivery:<id>`. Times are those of Redis.
 * The connection is its own, and closed when the application has shut down.
 */
export class RedisDeliveryLedger extends DeliveryLedger implements OnApplicationShutdown {
  private readonly scripts = { begin: read('begin'), sent: read('sent'), failed: read('failed') };
  private readonly closed = new AbortController();

  constructor(
    private readonly redis: RedisConnection,
    private readonly keyPrefix: string,
    private readonly patienceMs = PATIENCE_MS,
  ) {
    super();
  }

  override async begin(delivery: Delivery, onUnknown: OnUnknown, signal: AbortSignal): Promise<BeginOutcome> {
    const { id, run, jobId, messageId } = delivery;
    const args = [run, jobId, messageId, onUnknown, LIVE_MARK_MS, RETENTION_MS];
    const giveUpAt = performance.now() + this.patienceMs;
    return parseOutcome(await unlessAborted(this.untilAnswered('begin', id, args, signal, giveUpAt), signal));
  }

  override async sent({ id, jobId, messageId }: Delivery): Promise<void> {
    await this.untilAnswered('sent', id, [jobId, messageId, RETENTION_MS], this.closed.signal);
  }

  override async failed({ id, run }: Delivery): Promise<void> {
    await this.untilAnswered('failed', id, [run], this.closed.signal);
  }

  onApplicationShutdown(): void {
    this.closed.abort();
    closeRedis(this.redis);
  }

  /** Calls again while Redis is away: each script may run any number of times. @throws {LedgerAwayError} */
  private async untilAnswered(
    script: keyof typeof this.scripts,
    id: string,
    args: readonly (string | number)[],
    giveUp: AbortSignal,
    giveUpAt = Infinity,
  ): Promise<unknown> {
    const key = `${this.keyPrefix}:{${SendEmail.type}}:delivery:${id}`;
    for (let failures = 0; ; failures += 1) {
      try {
        return await this.redis.call('eval', this.scripts[script], 1, key, ...args);
      } catch (error) {
        if (!isRedisTrouble(error)) throw error;
        // Once given up it is not called again: that could leave the mark that `failed` has just taken away.
        if (performance.now() > giveUpAt || !(await this.rested(failures, giveUp))) throw new LedgerAwayError(error);
      }
    }
  }

  private async rested(failures: number, giveUp: AbortSignal): Promise<boolean> {
    const rest = pause(Math.min(50 * 2 ** failures, LONGEST_REST_MS), undefined, { signal: giveUp });
    await rest.then(() => unlessAborted(waitUntilReady(this.redis, LONGEST_REST_MS), giveUp)).catch(() => undefined);
    return !giveUp.aborted;
  }
}

/** Rejects as soon as the signal fires; the work itself goes on. */
async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => {
      reject(new LedgerAwayError(signal.reason));
    };
    signal.addEventListener('abort', stop);
    if (signal.aborted) stop();
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}

function read(script: string): string {
  return readFileSync(new URL(`./${script}.lua`, import.meta.url), 'utf8');
}

function parseOutcome(reply: unknown): BeginOutcome {
  const [kind = 'nothing', first = '', second = '', third = ''] = Array.isArray(reply) ? reply.map(String) : [];
  switch (kind) {
    case 'begun':
      return { kind, afterUnknown: false };
    case 'begun_after_unknown':
      return { kind: 'begun', afterUnknown: true };
    case 'already_sent':
      return { kind, messageId: first, sentAt: new Date(Number(second)) };
    case 'in_progress':
      return { kind, jobId: first, since: new Date(Number(second)) };
    case 'unknown':
      return { kind, jobId: first, messageId: second, since: new Date(Number(third)) };
    default:
      throw new Error(`The delivery ledger answered what it should not: ${kind}.`);
  }
}
