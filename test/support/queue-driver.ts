import { isFinal, type JobStatus } from '@antrean/jobs';
import { TRANSITIONS, type JobEvent, type Origin } from '../../libs/jobs/src/definition/job-status.js';
import { heartbeat } from '../../libs/jobs/src/store/heartbeat.js';
import { DedupeModel } from './dedupe-model.js';
import { ExchangeDriver, type Effect, type Effects } from './exchange-driver.js';
import { DEAD_RETENTION_MS, DEDUPE_TTL_MS, RETENTION_MS, type Command, type JobShape } from './queue-commands.js';
import { faultsOf, viewQueue, type JobView, type QueueView } from './queue-view.js';
import { LEASE_MS, type StoredQueue, type PlannedJob } from './stored-queue.js';

/** How often each transition was seen, by its name. */
export type Tally = Map<string, number>;

export const transitionName = (event: JobEvent, from: Origin, to: JobStatus): string => `${event}: ${from} → ${to}`;

/** Carries out commands on one queue and checks that each did to the jobs what it may do, and nothing else. */
export class QueueDriver {
  /** Every job that was ever handed to the queue, refused ones included. */
  private readonly jobs = new Map<string, PlannedJob>();
  private readonly exchanges: ExchangeDriver;
  private readonly dedupe = new DedupeModel();
  private offsetMs = 0;
  private view: QueueView = { jobs: new Map(), remains: [], structures: {} };

  constructor(
    private readonly queue: StoredQueue,
    private readonly tally: Tally,
  ) {
    this.exchanges = new ExchangeDriver(queue);
  }

  async run(commands: readonly Command[]): Promise<void> {
    this.view = await viewQueue(this.queue, []);
    for (const command of commands) {
      const before = this.view;
      const effects = await this.carryOut(command);
      this.view = await viewQueue(this.queue, [...this.jobs.keys()]);
      if (effects === 'nothing') expect(this.view.structures).toEqual(before.structures);
      for (const ulid of this.jobs.keys()) {
        const effect = effects === 'nothing' ? undefined : effects.get(ulid);
        this.expectLegal(effect, before.jobs.get(ulid), this.view.jobs.get(ulid));
      }
      expect(await faultsOf(this.queue, this.view)).toEqual([]);
    }
  }

  private expectLegal(effect: Effect | undefined, old: JobView | undefined, now: JobView | undefined): void {
    if (effect === undefined) {
      if (now?.stored !== old?.stored) expect(now).toEqual(old);
      return;
    }
    const { event, endedAs } = effect;
    const from = old?.record.status ?? 'none';
    if (event === 'sweep') {
      expect([from !== 'none' && isFinal(from), now]).toEqual([true, undefined]);
      return;
    }
    const to = now?.record.status ?? endedAs;
    if (to === undefined) throw new Error(`${event} made a job vanish.`);
    const { from: mayStart, to: mayEnd } = TRANSITIONS[event];
    expect(mayStart).toContain(from);
    expect(mayEnd).toContain(to);
    if (now === undefined) expect(isFinal(to)).toBe(true);
    else expect(now.record.revision).toBe((old?.record.revision ?? 0) + 1);
    const name = transitionName(event, from, to);
    this.tally.set(name, (this.tally.get(name) ?? 0) + 1);
  }

  private async carryOut(command: Command): Promise<Effects> {
    switch (command.kind) {
      case 'enqueue':
        return this.enqueue(command.jobs);
      case 'enqueue_again':
        return this.enqueueAgain(command.job);
      case 'exchange':
        return this.exchanges.exchange(this.view, command);
      case 'exchange_again':
        return this.exchanges.again(this.view, command);
      case 'exchange_late':
        return this.exchanges.late(this.view, command);
      case 'promote':
        return this.promote(command);
      case 'reap':
        return this.reap(command);
      case 'sweep':
        return this.sweep(command);
      case 'heartbeat':
        return this.heartbeat(command.worker);
      case 'move_clock':
        await this.moveClock(command.byMs);
        return 'nothing';
    }
  }

  private async enqueue(shapes: readonly JobShape[]): Promise<Effects> {
    const jobs = shapes.map(({ delayMs, ...record }, index) =>
      this.queue.newJob({
        ...record,
        when: delayMs === 0 ? undefined : { delayMs },
        dedupeTtlMs: record.dedupe?.policy === 'ttl' ? DEDUPE_TTL_MS : 0,
        payloadJson: JSON.stringify({ number: this.jobs.size + index }),
      }),
    );
    const answers = await this.queue.enqueue(jobs);
    const now = Date.now() + this.offsetMs;
    const effects = new Map<string, Effect>();
    jobs.forEach((job, index) => {
      this.jobs.set(job.ulid, job);
      const holder = this.dedupe.holderOf(job, now, this.view, new Set(effects.keys()));
      if (holder !== undefined) {
        expect(answers[index]).toMatchObject({ kind: 'duplicate', ulid: holder });
        return;
      }
      expect(answers[index]).toMatchObject({ kind: 'accepted', status: job.when === undefined ? 'queued' : 'scheduled' });
      this.dedupe.took(job, now);
      effects.set(job.ulid, { event: 'enqueue' });
    });
    return effects;
  }

  /** The answer to an enqueue was lost: it is sent again, whatever became of the job since. */
  private async enqueueAgain(index: number): Promise<Effects> {
    const kept = [...this.jobs.values()].filter(({ ulid }) => this.view.jobs.has(ulid));
    const job = kept[index % kept.length];
    if (job === undefined) return 'nothing';
    const status = this.view.jobs.get(job.ulid)?.record.status;
    expect(await this.queue.enqueue([job])).toMatchObject([{ kind: 'known', header: { status } }]);
    return 'nothing';
  }

  private async promote({ afterMs, limit }: Extract<Command, { kind: 'promote' }>): Promise<Effects> {
    await this.moveClock(afterMs);
    const { moved } = await this.queue.promote(limit);
    expect(moved.length).toBeLessThanOrEqual(limit);
    return new Map(moved.map(({ ulid }) => [ulid, { event: 'promote' }]));
  }

  private async reap({ afterMs, limit, maxCrashes, keep }: Extract<Command, { kind: 'reap' }>): Promise<Effects> {
    await this.moveClock(afterMs);
    const { jobs } = await this.queue.reap({ limit, maxCrashes, keepFailed: keep });
    expect(jobs.length).toBeLessThanOrEqual(limit);
    for (const { record } of jobs) expect(record.status).toBe(record.crashes >= maxCrashes ? 'failed' : 'queued');
    return new Map(jobs.map(({ ulid, record }) => [ulid, { event: 'crash', endedAs: record.status }]));
  }

  /** Which jobs were removed is not answered, how many is. */
  private async sweep({ afterMs, limit }: Extract<Command, { kind: 'sweep' }>): Promise<Effects> {
    await this.moveClock(afterMs);
    const { removed } = await this.queue.sweep(RETENTION_MS, DEAD_RETENTION_MS, { limit });
    expect(removed).toBeLessThanOrEqual(limit);
    const left = await viewQueue(this.queue, [...this.view.jobs.keys()]);
    const gone = [...this.view.jobs.keys()].filter((ulid) => !left.jobs.has(ulid));
    expect(gone).toHaveLength(removed);
    return new Map(gone.map((ulid) => [ulid, { event: 'sweep' }]));
  }

  private async heartbeat(index: number): Promise<Effects> {
    const worker = this.exchanges.workers[index];
    if (worker === undefined) throw new Error(`There is no worker ${index}.`);
    const { held } = await heartbeat(this.queue.link, this.queue.type, worker.identity.number, LEASE_MS);
    const running = [...this.view.jobs.values()].filter(
      ({ record }) => record.status === 'processing' && record.workerNumber === worker.number,
    );
    // A lease may outlive the last job by one call, but none runs without.
    expect(held ?? 0).toBe(running.length);
    return new Map();
  }

  private async moveClock(byMs: number): Promise<void> {
    this.offsetMs += byMs;
    await this.queue.moveClock(this.offsetMs);
  }
}
