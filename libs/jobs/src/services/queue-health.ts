import { Injectable } from '@nestjs/common';
import { available } from '../store/availability.js';
import { Link } from '../store/link.js';
import { probeWrite } from '../store/probe.js';

/** What was found out about Redis; `detail` says what is wrong, in plain words and without Redis' own text. */
export interface QueueHealthReport {
  readonly ping: boolean;
  readonly write: boolean;
  readonly detail?: string;
}

/** Whether the queue's Redis answers and takes writes. */
@Injectable()
export class QueueHealth {
  constructor(private readonly link: Link) {}

  /** Why this process will never work on its Redis; undefined when it does, or may yet. */
  get refusal(): string | undefined {
    const { gate } = this.link;
    return gate.isRefused ? gate.reason : undefined;
  }

  /** Never rejects; answers within two seconds a question. */
  async check(): Promise<QueueHealthReport> {
    const { redis, gate } = this.link;
    if (gate.isRefused || (!gate.isOpen && redis.status === 'ready')) {
      return { ping: redis.status === 'ready', write: false, ...(gate.reason !== undefined && { detail: gate.reason }) };
    }
    if (!(await succeeds(available(this.link, () => redis.ping())))) {
      return { ping: false, write: false, detail: 'Redis does not answer.' };
    }
    if (!(await succeeds(available(this.link, () => probeWrite(this.link))))) {
      return { ping: true, write: false, detail: 'Redis answers but takes no writes.' };
    }
    return { ping: true, write: true };
  }
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  return work.then(
    () => true,
    () => false,
  );
}
