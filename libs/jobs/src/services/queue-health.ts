import { Inject, Injectable } from '@nestjs/common';
import { available } from '../store/availability.js';
import { Link } from '../store/link.js';
import { pingAll, probeType, probeWrite } from '../store/probe.js';
import { ReplicaGate } from '../store/replicated.js';
import { replicaCounts } from '../store/server-facts.js';
import { PRODUCER_OPTIONS, typesOf, type ProducerOptions } from './producer-options.js';
import { SUBMIT_LINK } from './submit-link.js';

/** What was found out about Redis; `detail` says what is wrong, in plain words and without Redis' own text. */
export interface QueueHealthReport {
  readonly ping: boolean;
  readonly write: boolean;
  /** Whether every server that takes writes has a replica that confirms them; null where none is asked for, or this is not known. */
  readonly replica: boolean | null;
  readonly detail?: string;
}

const PARTLY_AWAY = 'A part of the Cluster does not answer, and the types on it wait: the log says which server it is.';
const WAY_OUT =
  'with DURABILITY=replicated no job is accepted without one. Let a replica follow it (REPLICAOF), or set DURABILITY=local.';
const ALONE = `Redis has no replica, and ${WAY_OUT}`;
const SILENT =
  'Replicas are connected, but none confirms a write in time, and with DURABILITY=replicated no job is accepted without that. ' +
  'See in INFO replication whether they hang, load or lag, or set DURABILITY=local.';
const PARTLY_ALONE = `A server of the Cluster has no replica, and ${WAY_OUT}`;

/** Whether the queue's Redis answers and takes writes, and has the replica that is asked for. */
@Injectable()
export class QueueHealth {
  private hadReplica = false;

  constructor(
    private readonly link: Link,
    @Inject(SUBMIT_LINK) private readonly submits: Link,
    private readonly submitGate: ReplicaGate,
    @Inject(PRODUCER_OPTIONS) private readonly options: Pick<ProducerOptions, 'durability' | 'definitions'>,
  ) {}

  /**
   * Why submits are not to be sent to this process: it will never work on its Redis, or was set up to wait for a replica and has
   * seen none. Undefined when it works, or may again: a replica that is lost comes back as Redis does after an outage, and all but
   * submits goes on meanwhile. Never rejects.
   */
  async refusal(): Promise<string | undefined> {
    const { gate, redis } = this.link;
    if (gate.isRefused) return gate.reason;
    if (this.hadReplica || !gate.isOpen || redis.status !== 'ready') return undefined;
    const counts = await this.replicas();
    return counts?.every((count) => count === 0) === true ? ALONE : undefined;
  }

  /** Never rejects; answers within two seconds a question. */
  async check(): Promise<QueueHealthReport> {
    const { redis, gate } = this.link;
    if (gate.isRefused || (!gate.isOpen && redis.status === 'ready')) {
      return down(redis.status === 'ready', gate.reason);
    }
    const { there, away } = (await this.answerOf(this.link, () => pingAll(this.link))) ?? { there: 0, away: 0 };
    if (there === 0) return down(false, 'Redis does not answer.');
    if (away > 0) return down(true, PARTLY_AWAY);
    if (!(await this.takesWrites(this.link))) return down(true, 'Redis answers but takes no writes.');
    if (this.submits !== this.link && !(await this.takesWrites(this.submits))) {
      return down(true, 'Redis takes no writes on the connection that jobs are submitted on.');
    }
    const counts = await this.replicas();
    if (counts === undefined) return { ping: true, write: true, replica: null };
    if (counts.some((count) => count === 0)) {
      const detail = counts.every((count) => count === 0) ? ALONE : PARTLY_ALONE;
      return { ping: true, write: true, replica: false, detail };
    }
    if (!(await this.replicasConfirm())) return { ping: true, write: true, replica: false, detail: SILENT };
    return { ping: true, write: true, replica: true };
  }

  /** Of each server; undefined when none is asked for, or Redis does not tell. */
  private async replicas(): Promise<readonly number[] | undefined> {
    if (this.options.durability !== 'replicated') return undefined;
    const counts = await this.answerOf(this.link, () => replicaCounts(this.link));
    this.hadReplica ||= counts?.some((count) => count > 0) === true;
    return counts;
  }

  /** As a submit asks them, and together with those. One that is connected may hang, or still load what it missed. */
  private async replicasConfirm(): Promise<boolean> {
    const { submits, submitGate, options } = this;
    const confirm = (type: string): Promise<unknown> => submitGate.pass(type, () => probeType(submits, type));
    return (await this.answerOf(submits, () => Promise.all(typesOf(options).map(confirm)))) !== undefined;
  }

  private async takesWrites(link: Link): Promise<boolean> {
    return (await this.answerOf(link, () => probeWrite(link))) !== undefined;
  }

  /** Undefined when there is none. */
  private async answerOf<T>(link: Link, ask: () => Promise<T>): Promise<T | undefined> {
    return available(link, ask).catch(() => undefined);
  }
}

/** What does not answer, or takes no writes, is not asked for its replicas. */
function down(ping: boolean, detail: string | undefined): QueueHealthReport {
  return { ping, write: false, replica: null, ...(detail !== undefined && { detail }) };
}
