import { readFileSync } from 'node:fs';
import type { OnApplicationShutdown } from '@nestjs/common';
import { SendEmail } from '@antrean/catalog';
import { toMs } from '@antrean/jobs';
import { closeRedis, waitUntilReady, type RedisConnection } from '@antrean/platform';
import { DeliveryLedger, type BeginOutcome, type Delivery, type OnUnknown } from './delivery-ledger.js';

/** How long after its last change a mail is remembered. */
const RETENTION_MS = toMs('30d');
/** A mark of another job that is younger may belong to a run that is alive: the default timeout, its grace and room. */
const LIVE_MARK_MS = toMs('2m');
/** Redis may just be coming back; failing an attempt over that would be hasty. */
const READY_TIMEOUT_MS = 5_000;

/**
 * Keeps the ledger in Redis, a small hash a mail under `<prefix>:{email.send}:delivery:<id>`. Times are those of Redis.
 * The connection is its own, and closed when the application has shut down.
 */
export class RedisDeliveryLedger extends DeliveryLedger implements OnApplicationShutdown {
  private readonly scripts = { begin: read('begin'), sent: read('sent'), failed: read('failed') };

  constructor(
    private readonly redis: RedisConnection,
    private readonly keyPrefix: string,
  ) {
    super();
  }

  override async begin({ id, run, jobId, messageId }: Delivery, onUnknown: OnUnknown): Promise<BeginOutcome> {
    return parseOutcome(await this.run('begin', id, [run, jobId, messageId, onUnknown, LIVE_MARK_MS, RETENTION_MS]));
  }

  override async sent({ id, jobId, messageId }: Delivery): Promise<void> {
    await this.run('sent', id, [jobId, messageId, RETENTION_MS]);
  }

  override async failed({ id, run }: Delivery): Promise<void> {
    await this.run('failed', id, [run]);
  }

  onApplicationShutdown(): void {
    closeRedis(this.redis);
  }

  private async run(script: keyof typeof this.scripts, id: string, args: readonly (string | number)[]): Promise<unknown> {
    await waitUntilReady(this.redis, READY_TIMEOUT_MS);
    const key = `${this.keyPrefix}:{${SendEmail.type}}:delivery:${id}`;
    return this.redis.call('eval', this.scripts[script], 1, key, ...args);
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
