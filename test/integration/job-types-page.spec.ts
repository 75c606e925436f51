import { readFileSync } from 'node:fs';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { JobHandler, Sensitive, defineJob, unchecked, type Handles, type JobContext } from '@antrean/jobs';
import { startJobsApp } from '../support/jobs-app.js';
import { newKeyPrefix } from '../support/shared-redis.js';

class ShipOrder {
  @IsString()
  order!: string;

  @IsIn(['letter', 'parcel'])
  kind!: 'letter' | 'parcel';

  @Sensitive()
  @IsOptional()
  @IsString()
  doorCode?: string;
}

const Ping = defineJob('ping', { payload: unchecked<{ to: string }>() });

const Ship = defineJob('order.ship', {
  payload: ShipOrder,
  version: 2,
  // Version 1 had `id` instead of `order`, and sent parcels only.
  upgrade: (_from, payload) => {
    const { id, ...rest } = payload as { id: string };
    return { ...rest, order: id, kind: 'parcel' };
  },
});

class OldShipOrder {
  @IsString()
  id!: string;
}

const OldShip = defineJob('order.ship', { payload: OldShipOrder });

const handled: unknown[] = [];

@JobHandler(Ship)
class ShipHandler implements Handles<typeof Ship> {
  handle({ payload }: JobContext<typeof Ship>): void {
    handled.push(payload);
  }
}

@JobHandler(OldShip)
class OldShipHandler implements Handles<typeof OldShip> {
  handle(): void {
    handled.push('old');
  }
}

@JobHandler(Ping)
class PingHandler implements Handles<typeof Ping> {
  handle({ payload }: JobContext<typeof Ping>): void {
    handled.push(payload);
  }
}

describe('docs/job-types.md', () => {
  it('shows no code but what is compiled and run here', () => {
    const page = readFileSync('docs/job-types.md', 'utf8');
    const here = readFileSync('test/integration/job-types-page.spec.ts', 'utf8');
    const shown = [...page.matchAll(/^```ts\n(.+?)^```$/gms)].map(([, code = '']) => code);
    expect(shown).toHaveLength(3);
    for (const code of shown) expect(here).toContain(`\n${code}\n`);
  });

  it('tells the truth about an upgrade: a job of the old build runs in the new one', async () => {
    const keyPrefix = newKeyPrefix();
    const old = await startJobsApp([OldShip], [], { keyPrefix, types: [] });
    const { jobId } = await old.queue.enqueue(OldShip, { id: 'o-1' });
    await old.close();
    const jobs = await startJobsApp([Ship], [ShipHandler], { keyPrefix });
    try {
      await jobs.until(jobId, ({ status }) => status === 'succeeded');
      expect(handled).toContainEqual({ order: 'o-1', kind: 'parcel' });
      expect(handled.at(-1)).toBeInstanceOf(ShipOrder);
    } finally {
      await jobs.close();
    }
  });

  it('tells the truth about a newer job: an old worker leaves it, a new one runs it', async () => {
    const keyPrefix = newKeyPrefix();
    const producer = await startJobsApp([Ship], [], { keyPrefix, types: [] });
    const { jobId } = await producer.queue.enqueue(Ship, { order: 'o-2', kind: 'letter' });
    const old = await startJobsApp([OldShip], [OldShipHandler], { keyPrefix });
    const { jobId: oldId } = await old.queue.enqueue(OldShip, { id: 'o-3' });
    await old.until(oldId, ({ status }) => status === 'succeeded');
    expect(await producer.status.get(jobId)).toMatchObject({ status: 'queued', attempt: 0 });
    await old.close();
    const jobs = await startJobsApp([Ship], [ShipHandler], { keyPrefix });
    try {
      await jobs.until(jobId, ({ status }) => status === 'succeeded');
      expect(handled.at(-1)).toEqual({ order: 'o-2', kind: 'letter' });
    } finally {
      await jobs.close();
      await producer.close();
    }
  });

  it('tells the truth about unchecked payloads', async () => {
    const jobs = await startJobsApp([Ping], [PingHandler]);
    try {
      const { jobId } = await jobs.queue.enqueue(Ping, { to: 'a' });
      await jobs.until(jobId, ({ status }) => status === 'succeeded');
      expect(handled.at(-1)).toEqual({ to: 'a' });
    } finally {
      await jobs.close();
    }
  });
});
