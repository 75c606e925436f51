import { Injectable } from '@nestjs/common';
import { formatJobId } from '../definition/job-id.js';
import { availableToRead } from '../store/availability.js';
import { dedupeHolder } from '../store/dedupe-holder.js';
import { Link } from '../store/link.js';

@Injectable()
export class DedupeService {
  constructor(private readonly link: Link) {}

  /**
   * The id of the job that holds the key of that type now; undefined when it is free.
   * @throws {QueueUnavailableError} within 2 s when Redis does not answer
   */
  async holder(type: string, dedupeKey: string): Promise<string | undefined> {
    const ulid = await availableToRead(this.link, () => dedupeHolder(this.link, type, dedupeKey));
    return ulid === undefined ? undefined : formatJobId({ type, ulid });
  }
}
